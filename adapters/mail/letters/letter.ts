import type { Message, WriteLetter } from '../../../application/ports/mail.ts'
import type { FactorKind } from '../../../domain/factor.ts'
import type { Language, Languages } from '../../texts/languages.ts'
import type { MailTemplate } from '../../texts/mail-template.ts'
import { filled } from '../../texts/text.ts'
import type { Say } from '../../texts/texts.ts'
import { type Block, type Draft, draftOf, lifetimeText, type ServiceNames } from './blocks.ts'
import { escaped, htmlForm, type LetterForm, textForm } from './forms.ts'

export type LetterOptions = ServiceNames &
  Readonly<{
    /** The public URL of the service. */
    url: string
    /** The address of the sender. */
    from: string
    languages: Languages
    /** The template of a kind, if the operator has one. */
    template: (kind: string, language: string) => MailTemplate | undefined
  }>

/** Writes letters in the words of the service, or of its operator. */
export const letterWriter =
  ({ languages, template, url, from, ...names }: LetterOptions): WriteLetter =>
  ({ id, to, wishes, message: given }) => {
    const language = languages.find(...wishes)
    const form = { language: language.name, name: names.name, url }
    const message = withPrintableDevice(given)
    const own = template(message.kind, language.name)
    return {
      kind: message.kind,
      to,
      language: language.name,
      messageId: `${id}${from.slice(from.lastIndexOf('@'))}`,
      ...(own === undefined
        ? formed(draftOf(language, names, message), form)
        : ownWords(own, valuesOf(language, names, message), form)),
    }
  }

const formed = (draft: Draft, form: LetterForm) => ({
  subject: draft.subject,
  text: textForm(draft, form),
  html: htmlForm(draft, form),
})

type ValueByName = Readonly<Record<string, string | number>>

/** In the words of the operator. A line that is only a link becomes one. */
const ownWords = ({ subject, text, html }: MailTemplate, values: ValueByName, form: LetterForm) => {
  const draft: Draft = {
    subject: filled(subject, values),
    blocks: text.split(/\n{2,}/).map((part): Block => {
      const link = /^\{(link|recovery_link)\}$/.exec(part.trim())?.[1]
      return link === undefined ? { paragraph: filled(part, values) } : { link: String(values[link]) }
    }),
  }
  const inHtml = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, escaped(String(value))]),
  )
  return {
    subject: draft.subject,
    text: `${filled(text, values)}\n`,
    html: html === undefined ? htmlForm(draft, form) : filled(html, inHtml),
  }
}

/** The values that a template may have. */
const valuesOf = ({ say, time }: Language, names: ServiceNames, message: Message): ValueByName => ({
  ...names,
  ...('link' in message && message.link !== undefined && { link: message.link }),
  ...('recoveryLink' in message && { recovery_link: message.recoveryLink }),
  ...('atSeconds' in message && { time: time(message.atSeconds) }),
  ...('lifetimeSeconds' in message && { lifetime: lifetimeText(say, message.lifetimeSeconds) }),
  ...('codesLeft' in message && { count: message.codesLeft }),
  ...('factor' in message && {
    factor: factorText(say, message.factor),
  }),
  ...('device' in message && { device: message.device ?? say('mail.device.unnamed') }),
})

const factorText = (say: Say, factor: FactorKind | undefined): string => {
  if (factor === undefined) return say('mail.factor.all')
  return factor === 'identity' ? say('security.identity') : say(`mail.factor.${factor}`)
}

/** A device names itself. */
const withPrintableDevice = (message: Message): Message => {
  if (message.kind !== 'new_sign_in' || message.device === undefined) return message
  const printable = message.device.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return { ...message, device: [...printable].slice(0, 100).join('') || undefined }
}
