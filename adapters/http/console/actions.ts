import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { ManageNamedUser } from '../../../application/accounts/manage-users.ts'
import type { RevokeApplication } from '../../../application/applications/revoke-application.ts'
import type { RotateApplicationKey } from '../../../application/applications/rotate-application-key.ts'
import type { Overloaded } from '../../../application/ports/failures.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import { isAccountPages } from '../../../domain/account-pages.ts'
import type { Field } from '../../../domain/field.ts'
import { type Html, html } from '../operation/html.ts'
import { hrefTo, type Page, wideFactsHtml } from './layout.ts'
import { screen } from './parts.ts'
import { shortTime } from './times.ts'

/** What the console can change: the use cases of the commands. */
export type Changes = Readonly<{
  disableUser: ManageNamedUser
  enableUser: ManageNamedUser
  endUserSessions: ManageNamedUser
  removeUser: ManageNamedUser
  resetUserFactors: ManageNamedUser
  rotateApplicationKey: RotateApplicationKey
  revokeApplication: RevokeApplication
}>

type UserAction = Readonly<{
  verb: string
  effect: string
  /** It cannot be undone. */
  isFinal?: true
  change: (changes: Changes) => ManageNamedUser
}>

const USER_ACTIONS: Readonly<Record<string, UserAction>> = {
  disable: {
    verb: 'Disable',
    effect: 'Sign-in is blocked, and all sessions end. The user can be enabled again.',
    change: ({ disableUser }) => disableUser,
  },
  enable: {
    verb: 'Enable',
    effect: 'The user can sign in again. Ended sessions stay ended.',
    change: ({ enableUser }) => enableUser,
  },
  'end-sessions': {
    verb: 'End all sessions',
    effect: 'The user has to sign in again everywhere.',
    change: ({ endUserSessions }) => endUserSessions,
  },
  'reset-factors': {
    verb: 'Reset second factors',
    isFinal: true,
    effect:
      'All second factors and recovery codes are removed, and all sessions end. The password alone then signs in. Be sure that the user asked for it.',
    change: ({ resetUserFactors }) => resetUserFactors,
  },
  remove: {
    verb: 'Remove permanently',
    isFinal: true,
    effect:
      'The e-mail, the password and all second factors are erased, and all sessions end. This cannot be undone.',
    change: ({ removeUser }) => removeUser,
  },
}

type ApplicationAction = Omit<UserAction, 'change'>

const APPLICATION_ACTIONS: Readonly<Record<string, ApplicationAction>> = {
  rotate: {
    verb: 'Make a new key',
    effect:
      'The new private key is shown once. The present key works for another 24 hours, and a former one no longer.',
  },
  revoke: {
    verb: 'Revoke permanently',
    isFinal: true,
    effect: 'Its keys, its tokens and the sessions that it opened stop working. This cannot be undone.',
  },
}

/** The application of the account pages has no key. */
const PAGES_ACTIONS: Readonly<Record<string, ApplicationAction>> = {
  revoke: {
    verb: 'Revoke permanently',
    isFinal: true,
    effect:
      'All sessions of the account pages end, and the pages answer 503 until you run: portcullis application create-pages',
  },
}

const OVERLAP_SECONDS = 24 * 3600

const actionIn = <Action>(actions: Readonly<Record<string, Action>>, name: Field): Action | undefined =>
  name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined

/** Says what an action does, before it does it. */
export const confirm = screen({
  names: ['action', 'id'],
  show: async ({ store }, { action, id = '' }) => {
    const ofUser = actionIn(USER_ACTIONS, action)
    if (ofUser !== undefined) {
      const user = await store.findUser(id)()
      if (isLeft(user)) return user
      const found = toUndefined(user.right)
      return right(
        found === undefined || found.status === 'removed'
          ? GONE
          : confirmPage(ofUser, { action, id }, found.email, hrefTo('person', { id })),
      )
    }
    const application = await store.findApplication(id)()
    if (isLeft(application)) return application
    const found = toUndefined(application.right)
    const chosen = actionIn(isAccountPages(id) ? PAGES_ACTIONS : APPLICATION_ACTIONS, action)
    return right(
      found === undefined || found.revoked || chosen === undefined
        ? GONE
        : confirmPage(chosen, { action, id, key: found.keyId }, found.name, 'applications'),
    )
  },
})

const GONE: Page = {
  heading: 'Nothing to change',
  status: 404,
  content: html`<p>There is no such user or application, or nothing is left to change. Nothing was changed.</p>`,
}

const confirmPage = (
  { verb, effect, isFinal }: ApplicationAction,
  hidden: Readonly<Record<string, Field>>,
  name: string,
  back: string,
): Page => ({
  heading: `${verb}: ${name}?`,
  content: html`<p>${effect}</p>
<form method="post" action="change">${Object.entries(hidden).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value ?? ''}">`,
  )}<button${isFinal && html` class="final"`}>${verb}</button></form>
<p><a href="${back}">Back, without a change</a></p>`,
})

/** What a change answers: a page, or the place that shows its result. */
export type Changed = Readonly<{ page: Page } | { href: string }>

export const CHANGE_FIELDS = ['action', 'id', 'key'] as const

/** Makes a change, for the operator of the context. */
export const change = async (
  changes: Changes,
  context: RequestContext,
  { action, id = '', key }: Readonly<Record<(typeof CHANGE_FIELDS)[number], Field>>,
): Promise<Either<StoreUnavailable | Overloaded, Changed>> => {
  const ofUser = actionIn(USER_ACTIONS, action)
  if (ofUser !== undefined) {
    const outcome = await ofUser.change(changes)(context, id)()
    if (isLeft(outcome))
      return outcome.left._tag === 'UserUnknown' ? right({ page: GONE }) : { ...outcome, left: outcome.left }
    return right({ href: hrefTo('person', { id: outcome.right.id, done: action }) })
  }
  if (action === 'revoke') {
    const outcome = await changes.revokeApplication(context, id)()
    if (isLeft(outcome))
      return isCommon(outcome.left) ? { ...outcome, left: outcome.left } : right({ page: GONE })
    return right({ href: hrefTo('applications', { done: 'revoke' }) })
  }
  if (action !== 'rotate') return right({ page: GONE })
  const outcome = await changes.rotateApplicationKey(context, {
    id,
    overlapSeconds: OVERLAP_SECONDS,
    keyId: key ?? '',
  })()
  if (isLeft(outcome)) {
    if (isCommon(outcome.left)) return { ...outcome, left: outcome.left }
    return right({ page: outcome.left._tag === 'KeyReplaced' ? REPLACED : GONE })
  }
  const { publicApiKey, privateApiKey, previousUntilSeconds } = outcome.right
  return right({
    page: {
      heading: 'The new key',
      content: html`<p class="notice" role="status"><strong>Save the private key now.</strong> It is not shown again.</p>
${wideFactsHtml([
  ['Public API key', code(publicApiKey)],
  ['Private API key', code(privateApiKey)],
  ['The former key works until', shortTime(previousUntilSeconds * 1000)],
])}
<p><a href="applications">Back to the applications</a></p>`,
    },
  })
}

const code = (text: string): Html => html`<code>${text}</code>`

const isCommon = (failure: { _tag: string }): failure is StoreUnavailable | Overloaded =>
  failure._tag === 'StoreUnavailable' || failure._tag === 'Overloaded'

const REPLACED: Page = {
  heading: 'The key was replaced already',
  status: 409,
  content: html`<p>Nothing was changed now. If this form was sent twice, the first answer had the new private key. If you lost it, make another key.</p>
<p><a href="applications">Back to the applications</a></p>`,
}
