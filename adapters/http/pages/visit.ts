import type { IncomingMessage } from 'node:http'
import { isSome, map, none, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import type { BrowserCookies, PendingSignIn } from '../../../application/pages/browser-cookies.ts'
import type { Back } from '../../../application/pages/return-link.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Browsers } from '../../../application/use-cases/pages.ts'
import type { UserCaller } from '../../../domain/access.ts'
import { attributesOf } from '../../../domain/attributes.ts'
import type { Field } from '../../../domain/field.ts'
import { lookUpLanguage } from '../../../domain/language.ts'
import type { Language, Languages } from '../../texts/languages.ts'
import { continuePath, isAuthorization, wantsFreshSignIn } from './continue-path.ts'
import { readCookie } from './cookies.ts'
import type { ToResponse } from './layout.ts'
import type { Once } from './once.ts'
import { choicesIn, wishesIn } from './wishes.ts'

/** What all pages share. */
export type Site = Readonly<{
  /** The path part of the public URL. */
  prefix: string
  origin: string
  languages: Languages
  layout: (language: Language) => ToResponse
  once: Once
  browsers: Browsers
}>

/** Fields of every form, and parameters of every link. */
export const CARRIED = ['once', 'continue', 'ui_locales'] as const
export type Carried = Readonly<Record<(typeof CARRIED)[number], Field>>

/** A request for a page: who is there, in which language, and where that person goes on. */
export type Visit = Readonly<{
  context: RequestContext
  message: IncomingMessage
  language: Language
  /** The language that the person has chosen on a page. It stays in links and forms. */
  chosenLanguage: string | undefined
  visitor: Option<UserCaller>
  pending: Option<PendingSignIn>
  /** A path that begins with the prefix. */
  next: string
  /** The same in the chosen language. */
  onward: string
  /** `next` as a parameter. Undefined if it is the account, which needs none. */
  continued: string | undefined
  /** Whether the request that goes on there wants a user who authenticates now. */
  wantsFreshSignIn: boolean
  /** Returns the query of the address as sent. */
  query: () => string
  /** Returns a parameter of the address: none in a form. */
  parameter: (name: string) => Field
  /** A notice that the page before has left. */
  notice: Field
  /** The e-mail that an application expects. It only fills in the field. */
  loginHint: Field
  /** Where a person goes back to who comes from the link of a mail. It must be checked before it is shown. */
  back: Back
  /** The parameters of the link of a mail. They stay in links and forms of its page. */
  linked: Readonly<Record<string, string>>
  /** Returns the address of another page, in the chosen language if the parameters name none. */
  href: (path: string, parameters?: Readonly<Record<string, string | undefined>>) => string
  /** The hidden inputs of each form. */
  hidden: () => Readonly<Record<string, string>>
}>

/** The visit of a person who is signed in. */
export type SignedInVisit = Visit & Readonly<{ caller: UserCaller }>

export const visitOf = (
  { prefix, languages, browsers: { cookies } }: Pick<Site, 'prefix' | 'languages' | 'browsers'>,
  {
    message,
    context,
    visitor,
    parameters,
    carried,
    linked,
    query = () => '',
  }: Readonly<{
    message: IncomingMessage
    query?: () => string
    context: RequestContext
    visitor: Option<UserCaller>
    parameters: URLSearchParams
    carried: Carried
    linked: Visit['linked']
  }>,
): Visit => {
  const chosen = choicesIn(carried.ui_locales)
  const language = languages.find(
    ...chosen,
    ...(isSome(visitor) ? [attributesOf(visitor.value.user.attributes).locale ?? ''] : []),
    ...wishesIn(message.headers['accept-language']),
  )
  const chosenLanguage = toUndefined(lookUpLanguage(chosen, languages.available))
  const network = context.address?.()
  const next = continuePath(carried.continue, prefix)
  const continued = next === `${prefix}/account` ? undefined : next
  return {
    message,
    context: { ...context, language: language.name, endUserAddress: network },
    language,
    chosenLanguage,
    visitor,
    pending: cookies.openPending(readCookie(message, 'pending')),
    next,
    onward: inLanguage(next, chosenLanguage, prefix),
    continued,
    wantsFreshSignIn: wantsFreshSignIn(next, prefix),
    query,
    parameter: (name) => parameters.get(name) ?? undefined,
    notice: parameters.get('notice') ?? undefined,
    loginHint: parameters.get('login_hint') ?? undefined,
    back: {
      applicationId: parameters.get('application_id') ?? undefined,
      returnTo: parameters.get('return_to') ?? undefined,
    },
    linked,
    href: (path, more = {}) => {
      const all = 'ui_locales' in more ? more : { ...more, ui_locales: chosenLanguage }
      const query = new URLSearchParams(
        Object.entries(all).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
      ).toString()
      return `${prefix}${path}${query === '' ? '' : `?${query}`}`
    },
    hidden: () => ({
      ...linked,
      once: cookies.newSecret().secret,
      ...(chosenLanguage !== undefined && { ui_locales: chosenLanguage }),
      ...(continued !== undefined && { continue: continued }),
    }),
  }
}

/** Adds the language to a page of ours. The authorization has its own parameters. */
export const inLanguage = (path: string, language: string | undefined, prefix: string): string =>
  language === undefined || isAuthorization(path, prefix) || path.includes('ui_locales=')
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}ui_locales=${language}`

/** Returns the new session's secret, and the context in which a use case opens it. It replaces that of the visitor, if there is one. */
export const openingIn = (
  { context, visitor, message }: Pick<Visit, 'context' | 'visitor' | 'message'>,
  cookies: BrowserCookies,
): Readonly<{ secret: string; context: RequestContext }> => {
  const { secret, digest } = cookies.newSecret()
  const formerSessionId = map(({ session }: UserCaller) => session.id)(visitor)
  const knownUserId = toUndefined(cookies.device?.open(readCookie(message, 'device')) ?? none)
  return { secret, context: { ...context, browser: { cookie: digest, formerSessionId, knownUserId } } }
}

/** The e-mail of a visitor, if there is one. */
export const emailOf = ({ visitor }: Pick<Visit, 'visitor'>): string | undefined =>
  toUndefined(visitor)?.user.email
