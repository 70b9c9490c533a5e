import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { html } from '../operation/html.ts'
import { formHtml } from './forms.ts'
import { signedOutCookies } from './session-cookies.ts'
import type { SessionPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { emailOf, type Site, type Visit } from './visit.ts'

export const SIGN_OUT = '/account/sign-out'

/** A person ends all sessions of this browser. A link alone ends none. */
export const signOutPage = ({ browsers }: Pick<Site, 'browsers'>): SessionPage<never> => ({
  path: SIGN_OUT,
  names: [],
  show: async (visit) => {
    const email = emailOf(visit)
    if (email === undefined) return { to: visit.href(SIGN_IN) }
    const { say } = visit.language
    const content = html`<p>${say('sign_out.text', { email })}</p>${formOf(visit)}<p><a href="${visit.href('/account')}">${say('page.back')}</a></p>`
    return { page: { heading: say('sign_out.heading'), content } }
  },
  send: async (visit) => {
    if (!isNone(visit.visitor)) {
      const ended = await browsers.end(visit.context, visit.visitor.value)()
      // Another request may have ended them first.
      if (isLeft(ended) && ended.left._tag !== 'InvalidToken')
        return { failure: ended.left, heading: visit.language.say('sign_out.heading'), form: formOf(visit) }
    }
    return {
      to: visit.href(SIGN_IN, { notice: 'signed_out' }),
      cookies: signedOutCookies(),
      headers: { 'Clear-Site-Data': '"cache"' },
    }
  },
})

const formOf = (visit: Visit) =>
  formHtml(visit, { path: SIGN_OUT, button: visit.language.say('home.sign_out') })
