import type { Message } from '../../../application/ports/mail.ts'
import type { Language } from '../../texts/languages.ts'
import type { Say } from '../../texts/texts.ts'

/** A part of a letter: sentences, or a link. */
export type Block = Readonly<{ paragraph: string } | { link: string }>

/** A letter before it has a form. */
export type Draft = Readonly<{ subject: string; blocks: ReadonlyArray<Block> }>

/** What all letters of a service share. */
export type ServiceNames = Readonly<{ name: string; contact: string }>

/** Writes what a message says. */
export const draftOf = (
  { say, time }: Language,
  { name, contact }: ServiceNames,
  message: Message,
): Draft => {
  const ifNotYou: ReadonlyArray<Block> = [
    { paragraph: say('mail.if_you') },
    { paragraph: say('mail.if_not_you', { contact }) },
  ]
  switch (message.kind) {
    case 'recovery':
    case 'registration':
    case 'email_confirmation':
      return {
        subject: say(`mail.${message.kind}.subject`),
        blocks: [
          { paragraph: say(`mail.${message.kind}.body`, { name }) },
          { link: message.link },
          { paragraph: say('mail.link_life', { lifetime: lifetimeText(say, message.lifetimeSeconds) }) },
          { paragraph: say(`mail.${message.kind}.ignore`) },
        ],
      }
    case 'registration_known':
      return {
        subject: say('mail.registration_known.subject'),
        blocks: [
          { paragraph: say('mail.registration_known.body', { name }) },
          { link: message.link },
          { paragraph: say('mail.registration_known.recover') },
          { link: message.recoveryLink },
          { paragraph: say('mail.ignore') },
        ],
      }
    case 'email_entered':
    case 'email_changed':
    case 'account_removed':
      return notice(
        say(`mail.${message.kind}.subject`),
        say(`mail.${message.kind}.body`, at(message)),
        ifNotYou,
      )
    case 'password_leaked':
      return notice(say('mail.password_leaked.subject'), say('mail.password_leaked.body', at(message)), [
        { paragraph: say('mail.if_you') },
        { paragraph: say('mail.password_leaked.if_not_you', { contact }) },
      ])
    case 'password_changed':
    case 'password_recovered':
      return notice(
        say(`mail.${message.kind}.subject`),
        say(`mail.${message.kind}.body`, at(message)),
        message.link === undefined
          ? ifNotYou
          : [
              { paragraph: say('mail.if_you') },
              { paragraph: say('mail.if_not_you_set_password', { contact }) },
              { link: message.link },
            ],
      )
    case 'factor_added':
      if (message.factor === 'identity')
        return notice(
          say('mail.identity_added.subject'),
          say('mail.identity_added.body', at(message)),
          ifNotYou,
        )
      return notice(
        say('mail.factor_added.subject'),
        say('mail.factor_added.body', { ...at(message), factor: say(`mail.factor.${message.factor}`) }),
        ifNotYou,
      )
    case 'factor_removed':
      if (message.factor === 'identity')
        return notice(
          say('mail.identity_removed.subject'),
          say('mail.identity_removed.body', at(message)),
          ifNotYou,
        )
      return notice(
        say('mail.factor_removed.subject'),
        message.factor === undefined
          ? say('mail.factor_removed.all', at(message))
          : say('mail.factor_removed.body', { ...at(message), factor: say(`mail.factor.${message.factor}`) }),
        ifNotYou,
      )
    case 'recovery_codes': {
      const values = { ...at(message), count: message.codesLeft }
      return message.areNew
        ? notice(say('mail.recovery_codes.made_subject'), say('mail.recovery_codes.made', values), ifNotYou)
        : notice(say('mail.recovery_codes.used_subject'), say('mail.recovery_codes.used', values), ifNotYou)
    }
    case 'welcome':
      return {
        subject: say('mail.welcome.subject', { name }),
        blocks: [{ paragraph: say('mail.welcome.body', { name }) }, { link: message.link }],
      }
    case 'new_sign_in':
      return notice(
        say('mail.new_sign_in.subject'),
        message.device === undefined
          ? say('mail.new_sign_in.unnamed', at(message))
          : say('mail.new_sign_in.body', { ...at(message), device: message.device }),
        ifNotYou,
      )
    case 'test':
      return {
        subject: say('mail.test.subject', { name }),
        blocks: [{ paragraph: say('mail.test.body', at(message)) }],
      }
  }

  function at({ atSeconds }: Readonly<{ atSeconds: number }>) {
    return { time: time(atSeconds), name }
  }
}

const notice = (subject: string, body: string, advice: ReadonlyArray<Block>): Draft => ({
  subject,
  blocks: [{ paragraph: body }, ...advice],
})

/** In minutes up to two hours, which people grasp without calculating. It never says more than is true, except below a minute. */
export const lifetimeText = (say: Say, seconds: number): string =>
  seconds < 2 * 3_600
    ? say('mail.minutes', { count: Math.max(1, Math.floor(seconds / 60)) })
    : say('mail.hours', { count: Math.floor(seconds / 3_600) })
