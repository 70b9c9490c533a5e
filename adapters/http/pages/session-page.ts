import type { IncomingMessage } from 'node:http'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { PagesClosed } from '../../../application/pages/account-pages.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { UserCaller } from '../../../domain/access.ts'
import type { Field } from '../../../domain/field.ts'
import { type Html, html } from '../operation/html.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { ignoreBody } from '../request/body.ts'
import { readForm } from '../request/form.ts'
import type { Request } from '../request/request.ts'
import { isAuthorization } from './continue-path.ts'
import { COOKIES, deleteCookie, hasCookie, readCookie, setCookie } from './cookies.ts'
import { type FormFailure, failurePage } from './failures.ts'
import type { LanguageLink, Page } from './layout.ts'
import { isFromSameOrigin } from './same-origin.ts'
import { CARRIED, type Carried, type SignedInVisit, type Site, type Visit, visitOf } from './visit.ts'

/** What a page answers: itself, another address, or a failure above its form. */
export type Reply = Readonly<
  (
    | { page: Page; status?: 200 | 422 }
    /** `leaves`: it may be an address of another origin. */
    | { to: string; leaves?: true; headers?: Readonly<Record<string, string>> }
    | { failure: FormFailure; heading: string; form: Html; hasPasswords?: boolean }
  ) & { cookies?: ReadonlyArray<string> }
>

/** A page of a person, who may be signed in. GET changes nothing. */
export type SessionPage<Name extends string> = Readonly<{
  path: '/account' | `/account/${string}` | `/oauth2/${string}`
  /** The parameters of its forms. */
  names: ReadonlyArray<Name>
  /**
   * Of these, the parameters of the link in a mail, one of which is `token`. The forms carry them, and are posted to a URL without a query.
   * Behind a link, a page sends no referrer, so its forms cannot say where they come from.
   */
  link?: ReadonlyArray<Name>
  /** It is also a page without a link, whose forms then must say where they come from. */
  worksWithoutLink?: true
  /** What a GET of it goes on with. By default its query says so. */
  carried?: (message: IncomingMessage, query: URLSearchParams) => Omit<Carried, 'once'>
  /** Nothing of it is possible without a session, so it is closed if no session can be opened. */
  needsSession?: true
  show: (visit: Visit) => Promise<Reply>
  send: (visit: Visit, form: Readonly<Record<Name, Field>>) => Promise<Reply>
}>

/** A page that asks a person who is not signed in to do that first, and then goes on as it would have. */
export const signedInPage = <Name extends string>({
  path,
  names,
  isDoneBySignIn = false,
  show,
  send,
}: Pick<SessionPage<Name>, 'path' | 'names'> &
  Readonly<{
    /** Whether a sign-in does what the page is for. */
    isDoneBySignIn?: boolean
    show: (visit: SignedInVisit) => Promise<Reply>
    send: (visit: SignedInVisit, form: Readonly<Record<Name, Field>>) => Promise<Reply>
  }>): SessionPage<Name> => {
  const toSignIn = (visit: Visit, notice?: string): Reply => {
    const { continued, href } = visit
    const here = path === '/account' ? undefined : href(path, { continue: continued })
    return {
      to: href('/account/sign-in', {
        continue: isDoneBySignIn && continued !== undefined ? continued : here,
        notice,
      }),
    }
  }
  return {
    path,
    names,
    needsSession: true,
    show: async (visit) =>
      isNone(visit.visitor) ? toSignIn(visit) : show({ ...visit, caller: visit.visitor.value }),
    send: async (visit, form) =>
      isNone(visit.visitor)
        ? toSignIn(visit, 'expired')
        : send({ ...visit, caller: visit.visitor.value }, form),
  }
}

/** Returns the route of a page. */
export const sessionRoute = <Name extends string>(site: Site, page: SessionPage<Name>): Route<Responder> => {
  const show: Responder = {
    respond: (request) => request.deadline.limit(showing(site, page, request), failing(site, request, page)),
  }
  const send: Responder = {
    respond: (request) => request.deadline.limit(sending(site, page, request), failing(site, request, page)),
  }
  return { path: page.path, methods: { GET: show, HEAD: show, POST: send } }
}

const showing =
  <Name extends string>(site: Site, page: SessionPage<Name>, request: Request): Task<HttpResponse> =>
  async () => {
    const { message } = request
    const read = await ignoreBody(message)()
    if (isLeft(read)) return failing(site, request, page)(read.left)
    const parameters = new URLSearchParams(request.query())
    const carried = { once: undefined, ...(page.carried ?? carriedIn)(message, parameters) }
    const visitor = await visitorOf(site, page, message)
    if (isLeft(visitor)) return failing(site, request, page)(visitor.left)
    const linked = linkedIn(page, (name) => parameters.get(name) ?? undefined)
    const visit = visitOf(site, { ...request, visitor: visitor.right, parameters, carried, linked })
    const reply = await page.show(visit)
    const kept = message.method === 'GET' ? await renewal(site, visit) : []
    return responseTo(site, visit, { ...reply, cookies: [...kept, ...(reply.cookies ?? [])] }, page)
  }

const carriedIn = (_: IncomingMessage, parameters: URLSearchParams): Omit<Carried, 'once'> => ({
  continue: parameters.get('continue') ?? undefined,
  ui_locales: parameters.get('ui_locales') ?? undefined,
})

const sending =
  <Name extends string>(site: Site, page: SessionPage<Name>, request: Request): Task<HttpResponse> =>
  async () => {
    const { message, deadline } = request
    const isOurs = (hasToken: boolean): boolean =>
      isFromSameOrigin(message.headers, { origin: site.origin, hasToken })
    const sentFromElsewhere = { _tag: 'SentFromElsewhere', origin: site.origin } as const
    if (!isOurs(page.link !== undefined)) return failing(site, request, page)(sentFromElsewhere)
    const names = [...page.names, ...CARRIED]
    const read = await deadline.whileArriving(message, readForm(names)(message))()
    if (isLeft(read)) return failing(site, request, page)(read.left)
    const form = read.right
    const linked = linkedIn(page, (name) => form[name])
    if (saysOrigin(page, linked) && !isOurs(false)) return failing(site, request, page)(sentFromElsewhere)
    const answer = async (): Promise<HttpResponse> => {
      const visitor = await visitorOf(site, page, message)
      if (isLeft(visitor)) return failing(site, request, page)(visitor.left)
      const visit = visitOf(site, {
        ...request,
        visitor: visitor.right,
        parameters: new URLSearchParams(),
        carried: form,
        linked,
      })
      return responseTo(site, visit, await page.send(visit, form), page)
    }
    return form.once === undefined || form.once.length < ONCE_CHARACTERS
      ? answer()
      : site.once.answer(JSON.stringify([page.path, form, senderOf(message)]), answer)
  }

/** What an answer depends on beside the form. The headers say whether the form is ours: only then can its answer sign a person in. */
const senderOf = (message: IncomingMessage): ReadonlyArray<unknown> => [
  message.headers['sec-fetch-site'],
  message.headers.origin,
  readCookie(message, 'session'),
  readCookie(message, 'pending'),
]

/** The parameters of the link that were sent. */
const linkedIn = <Name extends string>(
  { link = [] }: Pick<SessionPage<Name>, 'link'>,
  sent: (name: Name) => Field,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    link.flatMap((name) => {
      const value = sent(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** 128 bits in base64url. */
const ONCE_CHARACTERS = 22

const visitorOf = async (
  { browsers }: Site,
  { needsSession }: Pick<SessionPage<never>, 'needsSession'>,
  message: IncomingMessage,
): Promise<Either<PagesClosed | StoreUnavailable, Option<UserCaller>>> => {
  const visitor = await browsers.session(readCookie(message, 'session'))()
  if (isLeft(visitor) || isSome(visitor.right) || needsSession !== true) return visitor
  const application = await browsers.application()()
  return isLeft(application) ? application : visitor
}

/** The cookie of a session that lives longer now, or the deletion of one that names none. */
const renewal = async ({ browsers }: Site, { context, message, visitor }: Visit) => {
  if (isNone(visitor)) return []
  const renewed = await browsers.renew(context, visitor.value, readCookie(message, 'session'))()
  return isSome(renewed) ? [setCookie('session', renewed.value.cookie, renewed.value.maxAgeSeconds)] : []
}

type Shown = Pick<SessionPage<never>, 'path' | 'worksWithoutLink'> &
  Readonly<{ link?: ReadonlyArray<string> }>

/** Whether the forms of a page say where they come from. */
const saysOrigin = (
  { link, worksWithoutLink }: Pick<Shown, 'link' | 'worksWithoutLink'>,
  linked: Visit['linked'],
): boolean => link === undefined || (worksWithoutLink === true && linked.token === undefined)

const responseTo = (site: Site, visit: Visit, reply: Reply, page: Shown): HttpResponse => {
  const cookies = [...(reply.cookies ?? []), ...staleCookies(visit, reply.cookies ?? [])]
  return { ...withoutCookies(site, visit, reply, page), ...(cookies.length > 0 && { cookies }) }
}

/** A cookie that opens to nothing is deleted, so that it locks no person out. */
const staleCookies = ({ message, visitor, pending }: Visit, set: ReadonlyArray<string>) => {
  const stale = (name: 'session' | 'pending', owner: Option<unknown>): ReadonlyArray<string> =>
    isNone(owner) && hasCookie(message, name) && !set.some((one) => one.startsWith(`${COOKIES[name]}=`))
      ? [deleteCookie(name)]
      : []
  return [...stale('session', visitor), ...stale('pending', pending)]
}

const withoutCookies = (site: Site, visit: Visit, reply: Reply, page: Shown): HttpResponse => {
  const { language, message } = visit
  const toResponse = site.layout(language)
  if ('to' in reply)
    return (reply.leaves === true || isAuthorization(reply.to, site.prefix)) && message.method === 'POST'
      ? forwarding(site, visit, reply)
      : { status: 303, headers: { ...reply.headers, Location: reply.to } }
  if ('failure' in reply) {
    const { failure, heading, form, hasPasswords = false } = reply
    const failed = (explained: Page) =>
      toResponse({ ...explained, hasPasswords, saysOrigin: saysOrigin(page, visit.linked) })
    return failurePage(language, failed, failure, { heading, form })
  }
  const shown: Page = {
    ...reply.page,
    saysOrigin: saysOrigin(page, visit.linked),
    canReload: message.method !== 'POST',
    languages: reply.page.languages ?? languageLinks(site, visit, page.path),
  }
  return { ...toResponse(shown), status: reply.status ?? 200 }
}

/** The chain of redirects may lead to an application, which `form-action` would block. */
const forwarding = (
  site: Site,
  { language }: Visit,
  { to, headers }: Extract<Reply, Readonly<{ to: string }>>,
): HttpResponse => {
  const response = site.layout(language)({
    heading: language.say('go.heading'),
    content: html`<p><a href="${to}">${language.say('go.link')}</a></p>`,
    saysOrigin: true,
  })
  return { ...response, headers: { ...response.headers, ...headers, Refresh: `0; url=${to}` } }
}

const languageLinks = (
  { languages, prefix }: Site,
  { language, continued, linked }: Visit,
  path: string,
): ReadonlyArray<LanguageLink> =>
  languages.available
    .filter((name) => name !== language.name)
    .map((name) => {
      const query = new URLSearchParams({
        ...linked,
        ...(continued !== undefined && { continue: continued }),
        ui_locales: name,
      })
      return { name, label: languageName(name), href: `${prefix}${path}?${query}` }
    })

/** The name of a language in itself. */
export const languageName = (language: string): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language

/** The page of a failure before the page itself could answer. Only the browser says which language it is in. */
const failing =
  (site: Site, { message, context, query }: Request, { link }: Pick<Shown, 'link'>) =>
  (failure: FormFailure): HttpResponse => {
    const parameters = new URLSearchParams(query())
    const carried = {
      once: undefined,
      continue: undefined,
      ui_locales: parameters.get('ui_locales') ?? undefined,
    }
    const noVisitor: Option<UserCaller> = none
    const { language } = visitOf(site, {
      message,
      context,
      visitor: noVisitor,
      parameters,
      carried,
      linked: {},
    })
    const toResponse = site.layout(language)
    return failurePage(language, (page) => toResponse({ ...page, saysOrigin: link === undefined }), failure, {
      heading: language.say('page.problem'),
      form: html``,
    })
  }
