import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone, none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { mailBell } from '../../application/mail/mail-bell.ts'
import type { MailLinks } from '../../application/mail/mail-parts.ts'
import { mailSender } from '../../application/mail/send-mails.ts'
import { mayNoticeLeak } from '../../application/throttling/leak-notices.ts'
import { quoted } from '../config/setting.ts'
import { hostOf, productNameOf, type Settings, WrongSettings } from '../config/settings.ts'
import { loggableError } from '../http/server/loggable-error.ts'
import { letterWriter } from '../mail/letters/letter.ts'
import { type PrintLines, terminalMailer } from '../mail/terminal/terminal.ts'
import { everyMs } from '../node/environment.ts'
import { wishedFolder } from '../texts/folder-problems.ts'
import { languages } from '../texts/languages.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** What sends mails, what writes them, and where they wait. */
export const mail: ReadonlyArray<Module> = [
  provide(Dependency.pagesFolder, needs('settings'), ({ settings }) => {
    const read = wishedFolder(settings, quoted)
    if (isLeft(read)) throw new WrongSettings(read.left.join('\n  '))
    return read.right
  }),
  provide(Dependency.languages, needs('settings', 'pagesFolder'), ({ settings, pagesFolder: { texts } }) =>
    languages(texts, settings.language),
  ),
  provide(Dependency.mailer, needs('settings', 'clock'), async ({ settings, clock }) => {
    if (settings.mail === undefined) return none
    const { relay, ...others } = settings.mail
    if (relay === 'terminal') return none // another module provides it
    const { smtpMailer } = await import('../mail/smtp/smtp.ts') // with nodemailer
    return some(smtpMailer({ ...others, relay, hostName: hostOf(settings), clock }))
  }),
  provide(
    Dependency.mail,
    needs('settings', 'languages', 'pagesFolder', 'mailer'),
    ({ settings, languages: known, pagesFolder: folder, mailer }) =>
      settings.mail === undefined || isNone(mailer)
        ? none
        : some({
            mailer: mailer.value,
            writeLetter: letterWriter({
              name: productNameOf(settings) ?? settings.mail.name,
              contact: settings.mail.contact,
              url: settings.publicUrl,
              from: settings.mail.from.address,
              languages: known,
              template: folder.mail,
            }),
          }),
  ),
  provide(Dependency.outbox, needs('settings', 'storage'), ({ settings, storage: { outbox } }) => {
    if (settings.mail === undefined) return none
    if (outbox === undefined) throw new WrongSettings(NO_OUTBOX)
    return some(outbox)
  }),
  provide(Dependency.mailBell, mailBell),
]

/** What takes the mails of a first run without a relay. */
export const printedMail = (print: PrintLines): Module =>
  provide(Dependency.mailer, () => some(terminalMailer(print)))

const NO_OUTBOX =
  'MAIL_URL requires a storage with the port Outbox, in which mails wait. Remove MAIL_URL, or add the port to the storage of --with'

/** Sends mails in the background of a service. */
export const mailSending: Module = provide(
  Dependency.mailSender,
  {
    ...needs('settings', 'mail', 'outbox', 'mailBell', 'store', 'clock', 'timer', 'random', 'digests'),
    ...needs('background', 'failureCounts', 'log', 'meters', 'sealing'),
    record: Dependency.recorder,
  },
  ({
    settings,
    mail: desk,
    outbox,
    mailBell: bell,
    background,
    failureCounts,
    log,
    meters,
    sealing,
    ...needed
  }) => {
    if (settings.mail === undefined || isNone(desk) || isNone(outbox)) return none
    const meter = meters.mails(outbox.value, needed.clock)
    const sender = mailSender({
      ...needed,
      settings,
      desk: desk.value,
      outbox: outbox.value,
      links: mailLinks(settings),
      sealing: toUndefined(sealing),
      mayNoticeLeak: mayNoticeLeak({ counts: failureCounts, clock: needed.clock }),
      connections: settings.mail.connections,
      every: everyMs,
      observer: {
        ...meter,
        relayDown: (since) => {
          meter.relayDown(since)
          if (since === undefined) log.info('the relay of MAIL_URL works again')
          else log.warn({ code: since.code }, 'the relay of MAIL_URL cannot be used, so mails wait')
        },
        failed: ({ reason }) => log.warn({ cause: reason }, 'mails wait, because the store is unavailable'),
        crashed: (error) => log.error({ error: loggableError(error) }, 'a mail could not be attempted'),
      },
    })
    bell.onRing(() => background.run(async () => sender.wake())) // after the response
    return some(sender)
  },
)

/** Links never use the host of a request. */
const mailLinks = ({ publicUrl, pages }: Settings): MailLinks => {
  if (pages === undefined) return {}
  const accountPage = `${publicUrl.replace(/\/$/, '')}/account`
  const page = (path: string) => `${accountPage}/${path}`
  return {
    recovery: (token) => `${page('recovery')}?token=${token}`,
    emailConfirmation: (token) => `${page('email')}?token=${token}`,
    register: pages.registration ? (token) => `${page('register')}?token=${token}` : undefined,
    forgotten: page('forgotten'),
    signIn: page('sign-in'),
    account: accountPage,
  }
}
