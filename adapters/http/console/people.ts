import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none } from 'fp-ts/lib/Option.js'
import { findUserPage, listedUser, type UserPage } from '../../../application/accounts/search-users.ts'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'
import { namedUserOrRemoved } from '../../../application/recording/change-user.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { isEmail } from '../../../domain/user.ts'
import { isListed, LISTED_STATUSES, validateUserSearch } from '../../../domain/user-search.ts'
import { asciiEmail } from '../../config/addresses/ascii-domains.ts'
import { type Html, html } from '../operation/html.ts'
import { fieldHtml, hrefTo, storedHtml, tableHtml } from './layout.ts'
import { screen } from './parts.ts'
import { timeHtml } from './times.ts'

const NAMES = ['user', 'status', 'after'] as const
type Query = Readonly<Record<(typeof NAMES)[number], Field>>

/** Users, those whose e-mail or name begins so, or the one with an e-mail or an id. */
export const people = screen({
  names: NAMES,
  show: async ({ store }, query) => {
    const { user, status, after = '' } = query
    if (isPresent(user)) {
      const found = await namedUserOrRemoved(store, asciiEmail(user))()
      if (isLeft(found) && found.left._tag === 'StoreUnavailable') return left(found.left)
      const page = isLeft(found)
        ? await usersThatBegin(store, user, after)
        : right({ users: [listedUser(found.right)], next: none })
      if (isLeft(page)) return page
      return right({
        heading: 'People',
        screen: 'people',
        content: html`${formHtml(query)}${page.right === undefined ? unknownHtml(user) : html`${usersHtml(page.right)}${pagesHtml(query, page.right)}`}`,
      })
    }
    const search = { ...(isPresent(status) && isListed(status) ? { status } : {}), after }
    const page = await findUserPage({ store }, search, PER_PAGE)()
    if (isLeft(page)) return page
    return right({
      heading: 'People',
      screen: 'people',
      content: html`${formHtml(query)}${usersHtml(page.right)}${pagesHtml(query, page.right)}`,
    })
  },
})

const PER_PAGE = 50

/** Returns a page of the users whose e-mail begins so, or else of those whose name does. None if there are none. */
const usersThatBegin = async (
  store: Pick<Store, 'findUserByEmail' | 'listUsers'>,
  text: string,
  after: string,
): Promise<Either<StoreUnavailable, UserPage | undefined>> => {
  for (const conditions of [{ emailPrefix: text }, { namePrefix: text }]) {
    const search = validateUserSearch({ ...conditions, after })
    if (isLeft(search)) continue // a position among the others
    const page = await findUserPage({ store }, search.right, PER_PAGE)()
    if (isLeft(page) || page.right.users.length > 0 || after !== '') return page
  }
  return right(undefined)
}

const formHtml = ({ user = '', status = '' }: Query): Html => html`<form method="get" action="people">
<div class="filters">
${fieldHtml({ name: 'user', label: 'User', value: user, hint: 'The e-mail or the name, or how it begins, or the id' })}${fieldHtml({ name: 'status', label: 'State', value: status, choices: LISTED_STATUSES })}</div>
<p><button>Search</button></p>
</form>
`

/** A sign-in with an unknown e-mail is refused like one with a wrong password, so this is an answer, too. */
const unknownHtml = (text: string): Html =>
  isEmail(asciiEmail(text))
    ? html`<p class="notice">No user has the e-mail ${storedHtml(text)}. Sign-ins with it are refused. See <a href="${hrefTo('events', { reason: 'unknown_email' })}">refused sign-ins with unknown e-mails</a>; the log does not contain the e-mails.</p>`
    : html`<p class="notice">No user has this e-mail or id, and no e-mail or name begins so.</p>`

const usersHtml = ({ users }: Pick<UserPage, 'users'>): Html =>
  tableHtml({
    label: 'Users',
    head: ['E-mail', 'State', 'E-mail confirmed', 'Registered', 'Id'],
    rows: users.map(({ id, email, status, emailVerified, createdAtSeconds }) => [
      html`<a href="${hrefTo('person', { id })}">${storedHtml(status === 'removed' ? 'removed user' : email)}</a>`,
      status === 'enabled' ? status : html`<strong class="bad">${status}</strong>`,
      emailVerified ? 'yes' : 'no',
      timeHtml(createdAtSeconds * 1000),
      html`<code>${id}</code>`,
    ]),
    none: 'No user.',
  })

const pagesHtml = (query: Query, { next }: UserPage): Html =>
  isNone(next) && !isPresent(query.after)
    ? html``
    : html`<p class="pages">${[
        isPresent(query.after) &&
          html`<a href="${hrefTo('people', { ...query, after: undefined })}">First page</a>`,
        isSome(next) && html`<a href="${hrefTo('people', { ...query, after: next.value })}">Next page</a>`,
      ]}</p>
`
