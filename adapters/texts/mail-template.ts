import * as E from 'fp-ts/lib/Either.js'
import { MAIL_KINDS, type MailKind } from '../../domain/mail.ts'
import { PLACEHOLDER } from './text.ts'

/** A mail in the words of the operator. Without `html`, it is made of the text. */
export type MailTemplate = Readonly<{ subject: string; text: string; html: string | undefined }>

/** The values that a template of each kind may have. One with a link must have it. */
const VALUES: Readonly<Record<MailKind, ReadonlyArray<string>>> = {
  recovery: ['link', 'lifetime'],
  registration: ['link', 'lifetime'],
  registration_known: ['link', 'recovery_link'],
  email_confirmation: ['link', 'lifetime'],
  email_entered: ['time'],
  email_changed: ['time'],
  password_changed: ['time'],
  password_recovered: ['time'],
  factor_added: ['time', 'factor'],
  factor_removed: ['time', 'factor'],
  recovery_codes: ['time', 'count'],
  password_leaked: ['time'],
  account_removed: ['time'],
  welcome: ['link'],
  new_sign_in: ['time', 'device'],
}

const EVERYWHERE = ['name', 'contact']

export const MAILS = Object.keys(MAIL_KINDS) as ReadonlyArray<MailKind> // the keys of the table

/** Reads a template, or says what is wrong with each file. */
export const mailTemplate = (
  kind: MailKind,
  text: string,
  html: string | undefined,
): E.Either<ReadonlyArray<readonly [file: 'txt' | 'html', problem: string]>, MailTemplate> => {
  const [, subject = '', body = ''] = /^Subject: *([^\r\n]+)\r?\n(?:\r?\n)?(.*)$/s.exec(text) ?? []
  const problems: ReadonlyArray<readonly ['txt' | 'html', string]> = [
    ...(subject.trim() === '' ? [['txt', 'its first line must be "Subject: …"'] as const] : []),
    ...(subject.trim() !== '' && body.trim() === '' ? [['txt', 'it has no text'] as const] : []),
    ...(CONTROL.test(text) ? [['txt', 'it has control characters'] as const] : []),
    ...(/<script/i.test(text) ? [['txt', 'it must not have <script'] as const] : []),
    ...(/\{(?:recovery_)?link\}/.test(subject) ? [['txt', 'its subject must not have a link'] as const] : []),
    ...problemsOf(kind, subject, body).map((problem) => ['txt', problem] as const),
    ...(html === undefined ? [] : problemsOf(kind, '', html).map((problem) => ['html', problem] as const)),
    ...(html === undefined ? [] : contentProblems(html).map((problem) => ['html', problem] as const)),
  ]
  return problems.length > 0
    ? E.left(problems)
    : E.right({ subject: subject.trim(), text: body.trim().replaceAll('\r\n', '\n'), html })
}

const problemsOf = (kind: MailKind, subject: string, body: string): ReadonlyArray<string> => {
  const known = VALUES[kind]
  const found = [...`${subject}\n${body}`.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = new Set(found.filter((name) => !known.includes(name) && !EVERYWHERE.includes(name)))
  const isLinkMissing = known.includes('link') && !body.includes('{link}')
  return [
    ...[...unknown].map((name) => `there is no {${name}} in this mail`),
    ...(isLinkMissing ? ['it must have {link}'] : []),
  ]
}

/** Beside tabs and the ends of lines. */
const CONTROL = /(?![\t\r\n])\p{Cc}/u

/** What a mail program would run, or would load from elsewhere: then others learn who reads the mail, and when. */
const FORBIDDEN: ReadonlyArray<readonly [pattern: RegExp, problem: string]> = [
  [/<script/i, 'it must not have <script'],
  [/[\s"'/]on[a-z]+\s*=/i, 'it must not have an attribute on…='],
  [/[\s"'/]src\s*=\s*(?!["']?data:)/i, 'src= must begin with data:'],
  [/url\(\s*(?!["']?data:)/i, 'url( must begin with data:'],
  [
    /[\s"'/](?:srcset|background|poster|action)\s*=/i,
    'it must not have srcset=, background=, poster= or action=',
  ],
  [/image-set\(/i, 'it must not have image-set('],
  [
    /@import|<(?:link|base|iframe|object|embed|form|frame|image|feimage|use)\b/i,
    'it must not load or send anything',
  ],
  [/http-equiv\s*=(?!\s*["']?content-type["'\s/>])/i, 'it must not load or send anything'],
  [/(?:javascript|vbscript)\s*:/i, 'it must not have a script'],
  // Programs read an escape or a reference as the character, and so would find what no pattern here does.
  [/\\/, 'it must not have a backslash'],
  [
    /&#0*(?!(?:34|38|39|60|62)\b)(?:\d{1,2}|1[01]\d|12[0-7])(?!\d)|&#x0*(?!(?:22|26|27|3c|3e)\b)[0-7]?[\da-f](?![\da-f])|&(?:bsol|colon|commat|lpar|newline|tab);/i,
    'it must have ASCII characters as themselves, not as &#…;',
  ],
  [CONTROL, 'it has control characters'],
]

const contentProblems = (html: string): ReadonlyArray<string> => [
  ...(html.trim() === '' ? ['it has no text'] : []),
  ...FORBIDDEN.filter(([pattern]) => pattern.test(html)).map(([, problem]) => problem),
]
