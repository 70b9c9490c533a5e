import { isLeft, map, right, traverseArray } from 'fp-ts/lib/Either.js'
import { filter, isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type { LogEntry } from '../../../application/ports/store.ts'
import { EVENT_TYPES } from '../../../application/recording/events/table.ts'
import { pages } from '../../../application/recording/pages.ts'
import { isAccountPages } from '../../../domain/account-pages.ts'
import { type Application, scopeText } from '../../../domain/application.ts'
import type { EventType } from '../../../domain/event.ts'
import type { OpenIdClient } from '../../../domain/redirect-uris.ts'
import type { KeyPurpose, SigningKey } from '../../../domain/signing-key.ts'
import { uuidTime } from '../../../domain/uuid-time.ts'
import { type Html, html } from '../operation/html.ts'
import { newestEntries } from './entries.ts'
import { hrefTo, storedHtml, tableHtml } from './layout.ts'
import { type ScreenParts, screen } from './parts.ts'
import { ageText, timeHtml } from './times.ts'

/** Applications with the age of their keys, and the keys that sign tokens. */
export const applications = screen({
  names: ['after', 'done'],
  show: async (parts, { after = '', done }) => {
    const now = parts.clock()
    const keys = await parts.store.listSigningKeys()()
    if (isLeft(keys)) return keys
    const inUse = keys.right.filter(({ retired }) => !retired)
    const oldest = await oldestApplicationKey(parts)
    if (isLeft(oldest)) return oldest
    const page = await parts.store.listRows({ table: 'applications', after, limit: PER_PAGE + 1 })()
    if (isLeft(page)) return page
    const shown = page.right.slice(0, PER_PAGE)
    const used = await lastUses(parts, shown)
    if (isLeft(used)) return used
    const rows = shown.map((application, index) =>
      rowOf(application, used.right[index], { now, isWritable: parts.isWritable }),
    )
    const isOver = page.right.length <= PER_PAGE
    return right({
      heading: 'Applications',
      screen: 'applications',
      content: html`${done === 'revoke' && html`<p class="notice" role="status">Revoked. Its keys, tokens and sessions no longer work.</p>`}
<ul class="answers"><li>${oldestAnswer([...oldest.right, ...inUse.map(keyOf)], now)}</li></ul>
${tableHtml({
  label: 'Applications',
  head: [
    'Name',
    ...(parts.isWritable ? ['Change'] : []),
    'Last used',
    'Age of the key',
    'Scopes',
    'Requires',
    'OpenID client',
    'State',
    'Id',
  ],
  rows,
  none: 'No application.',
})}
<p class="pages">${[after !== '' && html`<a href="applications">First page</a>`, !isOver && html`<a href="${hrefTo('applications', { after: shown.at(-1)?.id })}">Next page</a>`]}</p>
<h2>Keys that sign tokens</h2>
${tableHtml({
  label: 'Keys that sign tokens',
  head: ['Signs', 'Age', 'Created', 'Retires', 'Key id'],
  rows: inUse.map(({ purpose, createdAtSeconds, retiresAtSeconds, kid }) => [
    PURPOSES[purpose],
    ageText(now - createdAtSeconds * 1000),
    timeHtml(createdAtSeconds * 1000),
    isSome(retiresAtSeconds) ? timeHtml(retiresAtSeconds.value * 1000) : 'no date',
    html`<code>${kid}</code>`,
  ]),
})}`,
    })
  },
})

const PER_PAGE = 50

/** What operators do to an application is no use of it. */
const BY_OPERATORS: ReadonlySet<EventType> = new Set([
  'ApplicationRegistered',
  'ApplicationChanged',
  'PasskeyOriginsSet',
  'ReturnUrlsSet',
  'RedirectUrisSet',
  'ApplicationKeyRotated',
  'ApplicationRevoked',
])
const USES = EVENT_TYPES.filter((type) => !BY_OPERATORS.has(type))

/** Returns when each application was last used. The first search brings the read model up to date; the others share turns of the store. */
const lastUses = async (parts: ScreenParts, [first, ...others]: ReadonlyArray<Application>) => {
  const lastUse = ({ id }: Application) => newestEntries(parts, { application: id, types: USES }, 1)
  const found = first === undefined ? [] : [await lastUse(first), ...(await Promise.all(others.map(lastUse)))]
  return traverseArray(map((entries: ReadonlyArray<LogEntry>) => entries[0]?.at))(found)
}

/** `remedy` is the command that replaces it. */
type DatedKey = Readonly<{ what: Html; at: number; remedy: string }>

/** The oldest API key of all applications that are not revoked: that of one, or none. */
const oldestApplicationKey = async ({ store }: Pick<ScreenParts, 'store'>) => {
  let oldest: DatedKey | undefined
  const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return page
    for (const { name, keyId, revoked } of page.right) {
      const at = toUndefined(uuidTime(keyId))
      if (revoked || at === undefined || (oldest !== undefined && oldest.at <= at)) continue
      oldest = {
        what: html`the API key of ${storedHtml(name)}`,
        at,
        remedy: 'portcullis application rotate',
      }
    }
  }
  return right(oldest === undefined ? [] : [oldest])
}

const keyOf = ({ purpose, kid, createdAtSeconds }: SigningKey): DatedKey => ({
  what: html`the key ${kid}, which signs ${PURPOSES[purpose]}`,
  at: createdAtSeconds * 1000,
  remedy: 'portcullis keys rotate',
})

const PURPOSES: Readonly<Record<KeyPurpose, string>> = {
  application: 'tokens of applications',
  user: 'tokens of users (PASETO)',
  user_jwt: 'tokens of users (JWT)',
  id_token: 'ID tokens',
}

const oldestAnswer = (keys: ReadonlyArray<DatedKey>, now: number): Html => {
  const [oldest] = [...keys].sort((one, other) => one.at - other.at)
  return oldest === undefined
    ? html`There is no key.`
    : html`<strong>The oldest key</strong> is ${oldest.what}: ${ageText(now - oldest.at)} old, since ${timeHtml(oldest.at)}. <code>${oldest.remedy}</code> replaces it.`
}

const rowOf = (
  application: Application,
  usedAt: string | undefined,
  { now, isWritable }: Readonly<{ now: number; isWritable: boolean }>,
) => {
  const { id, name, scope, keyId, previousKey, requiredAssurance, requiresVerifiedEmail, revoked } =
    application
  const isOfPages = isAccountPages(id)
  const madeAt = toUndefined(uuidTime(keyId))
  const previous = toUndefined(
    filter(({ untilSeconds }: Readonly<{ untilSeconds: number }>) => now < untilSeconds * 1000)(previousKey),
  )
  return [
    html`<a href="${hrefTo('events', { application: id })}">${storedHtml(name)}</a>`,
    ...(isWritable
      ? [
          revoked
            ? ''
            : html`${!isOfPages && html`<a href="${hrefTo('confirm', { action: 'rotate', id })}">Rotate&nbsp;key</a> `}<a href="${hrefTo('confirm', { action: 'revoke', id })}">Revoke</a>`,
        ]
      : []),
    usedAt === undefined ? 'never in the log' : timeHtml(Date.parse(usedAt)),
    revoked
      ? ''
      : html`${isOfPages ? 'no key' : madeAt === undefined ? 'not known' : ageText(now - madeAt)}${previous !== undefined && html`. The former key works until ${timeHtml(previous.untilSeconds * 1000)}`}`,
    scope.length === 0 ? 'none' : scopeText(scope),
    [requiredAssurance === 'aal2' ? 'a second factor' : '', requiresVerifiedEmail ? 'a verified e-mail' : '']
      .filter((one) => one !== '')
      .join(', '),
    clientHtml(application),
    revoked ? html`<strong class="bad">revoked</strong>` : 'in use',
    html`<code>${id}</code>`,
  ]
}

/** Empty if it is no client. */
const clientHtml = ({ redirectUris, logoutUris, clientKind, requiresPkce }: OpenIdClient): Html | string =>
  redirectUris.length === 0
    ? ''
    : html`${clientKind}${!requiresPkce && ', PKCE optional'}; redirect to ${urisHtml(redirectUris)}${logoutUris.length > 0 && html`; logout to ${urisHtml(logoutUris)}`}`

const urisHtml = (uris: ReadonlyArray<string>): Html =>
  html`${uris.map((uri, index) => html`${index > 0 && ', '}${storedHtml(uri)}`)}`
