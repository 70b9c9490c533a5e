import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type { MailedLink } from '../../../application/accounts/read-mailed-link.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { alertHtml } from './fields.ts'
import type { Page } from './layout.ts'
import type { Visit } from './visit.ts'

export type UsableLink = Extract<MailedLink, { state: 'usable' }>

/** The page of a link that cannot be used. It is the same for every reason but a missing token. */
export const unusablePage = (
  { language: { say }, linked }: Visit,
  {
    heading,
    codes,
    text,
    way,
  }: Readonly<{
    heading: string
    codes: Readonly<{ missing: number; invalid: number }>
    text: string
    /** How a person gets another link. */
    way: Part
  }>,
): Page => {
  const isMissing = (linked.token ?? '') === ''
  const code = isMissing ? codes.missing : codes.invalid
  return {
    heading,
    isError: true,
    languages: [], // they would carry the token
    content: html`${alertHtml(
      say('link.unusable'),
      html`<p data-code="${code}">${isMissing ? say('link.incomplete') : text}</p>`,
    )}${!isMissing && way}`,
  }
}

/** Says whose link it is, if another account is signed in here. That one stays signed in. */
export const otherAccountHtml = (
  { language: { say }, visitor }: Visit,
  { userId, email }: UsableLink,
): Part =>
  isSome(visitor) &&
  visitor.value.user.id !== userId &&
  html`<p class="who">${say('link.other', { visitor: visitor.value.user.email, email })}</p>`

/** A link back to the application. */
export const returnHtml = ({ language: { say } }: Visit, url: Option<string>): Html =>
  isNone(url) ? html`` : html`<p><a href="${url.value}">${say('link.return')}</a></p>`
