import type { IncomingMessage } from 'node:http'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { EndBrowser } from '../../../application/sessions/end-browser.ts'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { isLogoutUri } from '../../../domain/redirect-uris.ts'
import { errorResponseTo } from '../operation/failures.ts'
import { html } from '../operation/html.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import type { FormFailure } from '../pages/failures.ts'
import { alertHtml } from '../pages/fields.ts'
import { formHtml } from '../pages/forms.ts'
import { signedOutCookies } from '../pages/session-cookies.ts'
import type { Reply, SessionPage } from '../pages/session-page.ts'
import { SIGN_IN } from '../pages/sign-in.ts'
import { emailOf, type Site, type Visit } from '../pages/visit.ts'
import type { BodyFailure } from '../request/body.ts'
import { readForm } from '../request/form.ts'
import type { LibraryFailure } from './exchange.ts'
import { failedPage } from './failed-page.ts'
import type { OpenIdLibrary } from './library.ts'

const END_SESSION = '/oauth2/end_session'
const CONFIRM = `${END_SESSION}/confirm` as const

/** The parameters of RP-initiated logout §2, without the hints that the page does not need. */
const NAMES = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const
type Sent = Readonly<Record<(typeof NAMES)[number], Field>>

/**
 * Where clients send a person to sign out (RP-initiated logout 1.0 §2), by GET or by POST. It leads to the page that asks, because a link alone ends
 * nothing.
 */
export const endSessionRoute = (site: Site): Route<Responder> => {
  const names = [...NAMES, 'ui_locales'] as const
  const toPage = (of: (name: (typeof names)[number]) => Field): HttpResponse => {
    const sent = names.flatMap((name) => {
      const value = of(name)
      return isPresent(value) ? [[name, value] as [string, string]] : []
    })
    return { status: 303, headers: { Location: `${site.prefix}${CONFIRM}?${new URLSearchParams(sent)}` } }
  }
  return {
    path: END_SESSION,
    methods: {
      GET: {
        respond: (request) => {
          const parameters = new URLSearchParams(request.query())
          return async () => toPage((name) => parameters.get(name) ?? undefined)
        },
      },
      POST: {
        respond: (request) => {
          const { message, deadline } = request
          const failed = (failure: FailedForm): HttpResponse =>
            isBrowser(message) ? failedPage(site, request, failure) : errorResponseTo(failure)
          return deadline.limit(async () => {
            const form = await deadline.whileArriving(message, readForm(names)(message))()
            return isLeft(form) ? failed(form.left) : toPage((name) => form.right[name])
          }, failed)
        },
      },
    },
  }
}

type FailedForm = BodyFailure | StoreUnavailable

/** Whether a person sees the answer. */
const isBrowser = ({ headers: { accept = '' } }: IncomingMessage): boolean => accept.includes('text/html')

type Needed = Readonly<{ library: OpenIdLibrary; endBrowser: EndBrowser }> &
  Pick<OpenIdUseCases, 'findClient'>

/** A person confirms that this browser signs out, and goes back to the client (RP-initiated logout 1.0 §3). */
export const endSessionPage = (needed: Needed): SessionPage<(typeof NAMES)[number]> => ({
  path: CONFIRM,
  names: NAMES,
  show: async (visit) => {
    const sent = Object.fromEntries(NAMES.map((name) => [name, visit.parameter(name)])) as Sent // has each name
    const target = await targetOf(needed, visit, sent)()
    if (isLeft(target)) return refused(visit, target.left)
    const email = emailOf(visit)
    // Nobody is signed in, so there is nothing to ask.
    if (email === undefined) return onward(visit, target.right)
    const { say } = visit.language
    const content = html`<p>${say('sign_out.all', { email })}</p>${formOf(visit, sent)}<p><a href="${visit.href('/account')}">${say('sign_out.stay')}</a></p>`
    return { page: { heading: say('sign_out.heading'), content } }
  },
  send: async (visit, sent) => {
    const target = await targetOf(needed, visit, sent)()
    if (isLeft(target)) return refused(visit, target.left)
    if (isSome(visit.visitor)) {
      const ended = await needed.endBrowser(visit.context, visit.visitor.value)()
      // Another request may have ended it first.
      if (isLeft(ended) && ended.left._tag !== 'InvalidToken')
        return refused(visit, ended.left, formOf(visit, sent))
    }
    return {
      ...onward(visit, target.right),
      cookies: signedOutCookies(),
      headers: { 'Clear-Site-Data': '"cache"' },
    }
  },
})

type WrongTarget = Readonly<{ _tag: 'WrongTarget' }>

/** Returns where the client wants the person to go afterwards, if it has registered that address. None if it names no address. */
const targetOf =
  (
    { library, findClient }: Needed,
    { context }: Visit,
    { id_token_hint: hint, client_id: named, post_logout_redirect_uri: uri, state }: Sent,
  ): TaskEither<WrongTarget | LibraryFailure, Option<string>> =>
  async () => {
    if (!isPresent(uri)) return right(none)
    const read = isPresent(hint) ? await library.readHint(context, hint)() : right(none)
    if (isLeft(read)) return read
    const hinted = isSome(read.right) ? read.right.value.clientId : undefined
    const clientId = isPresent(hint) ? hinted : named
    if (clientId === undefined || (isPresent(named) && named !== clientId)) return WRONG
    const client = await findClient(clientId)()
    if (isLeft(client)) return client
    if (isNone(client.right) || !isLogoutUri(client.right.value, uri)) return WRONG
    return right(some(isPresent(state) ? withState(uri, state) : uri))
  }

const WRONG = left<WrongTarget>({ _tag: 'WrongTarget' })

const withState = (uri: string, state: string): string =>
  `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`

const onward = (visit: Visit, target: Option<string>) =>
  isSome(target)
    ? { to: target.value, leaves: true as const }
    : { to: visit.href(SIGN_IN, { notice: 'signed_out' }) }

const formOf = (visit: Visit, sent: Sent) => {
  const hidden = Object.fromEntries(
    NAMES.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  )
  return formHtml(visit, { path: CONFIRM, hidden, button: visit.language.say('home.sign_out') })
}

const refused = (visit: Visit, failure: WrongTarget | FormFailure, form = html``): Reply => {
  const { say } = visit.language
  if (failure._tag !== 'WrongTarget') return { failure, heading: say('sign_out.heading'), form }
  const isSignedIn = isSome(visit.visitor)
  const text = isSignedIn ? 'sign_out.wrong.text' : 'sign_out.wrong.nobody'
  const alert = alertHtml(say('sign_out.wrong.title'), html`<p>${say(text)}</p>`)
  return {
    page: {
      heading: say('sign_out.heading'),
      isError: true,
      content: html`${alert}${isSignedIn && html`<p><a href="${visit.href('/account/sign-out')}">${say('home.sign_out')}</a></p>`}`,
    },
    status: 422,
  }
}
