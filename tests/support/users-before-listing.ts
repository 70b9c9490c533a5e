import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemClock } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { succeed } from './outcome.ts'

const RECORD = '1$$c2NyeXB0'

const entry = (position: number, type: string, { id, data = '{}' }: { id: string; data?: string }): string =>
  `(${position}, 'event ${position}', '${type}', 1, '2026-01-02T03:04:0${position}.678Z', 'user', '${id}', 'operator', '${data}')`

/**
 * An enabled, a disabled and a removed user of a store without times of registration.
 *
 * @param prefix of every table
 */
export const usersBeforeListing = (prefix = ''): string => {
  const data = JSON.stringify({ password_digest: nodeDigests.sha256(RECORD) })
  return `
    INSERT INTO ${prefix}users (id, email, email_key, password_record, password_scheme, password_version, status, version)
      VALUES ('ada', 'ada@example.com', 'ada@example.com', '${RECORD}', '', 1, 'enabled', 1),
             ('bob', 'bob@example.com', 'bob@example.com', '${RECORD}', '', 2, 'disabled', 2),
             ('cleo', 'cleo', 'cleo', '', '', 2, 'removed', 2);
    INSERT INTO ${prefix}log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
      VALUES ${[
        entry(1, 'UserRegistered', { id: 'ada', data }),
        entry(2, 'UserRegistered', { id: 'bob', data }),
        entry(3, 'UserRegistered', { id: 'cleo', data }),
        entry(4, 'UserDisabled', { id: 'bob' }),
        entry(5, 'UserRemoved', { id: 'cleo' }),
      ].join(',\n')};`
}

/** How a version without these columns registers a user. */
export const userOfBefore = (prefix = '', position = 6): string => `
  INSERT INTO ${prefix}users (id, email, email_key, password_record, password_scheme, password_version, status, version)
    VALUES ('dan', 'dan@example.com', 'dan@example.com', '${RECORD}', '', 1, 'enabled', 1);
  INSERT INTO ${prefix}log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    VALUES ${entry(position, 'UserRegistered', { id: 'dan', data: JSON.stringify({ password_digest: nodeDigests.sha256(RECORD) }) })};`

/** Checks that these users have the times of their registration, and that the log explains every row. */
export const expectRegistrationTimes = async (
  store: Store,
  { isLater = false }: { isLater?: boolean } = {},
): Promise<void> => {
  const users = await succeed(store.listRows({ table: 'users', after: '', limit: 100 }))
  const at = (second: number) => some(Date.parse(`2026-01-02T03:04:0${second}Z`) / 1000)
  expect(
    users.map(({ id, emailVerified, createdAtSeconds, status }) => ({
      id,
      emailVerified,
      createdAtSeconds,
      status,
    })),
  ).to.deep.equal([
    { id: 'ada', emailVerified: false, createdAtSeconds: at(1), status: 'enabled' },
    { id: 'bob', emailVerified: false, createdAtSeconds: at(2), status: 'disabled' },
    { id: 'cleo', emailVerified: false, createdAtSeconds: none, status: 'removed' },
    ...(isLater ? [{ id: 'dan', emailVerified: false, createdAtSeconds: none, status: 'enabled' }] : []),
  ])
  const listed = await succeed(store.listUsers({ after: '', limit: 100 }))
  expect(listed.map(({ id }) => id)).to.deep.equal(['ada', 'bob', ...(isLater ? ['dan'] : [])])
  const { disagreements } = await succeed(checkLog({ store, clock: systemClock, digests: nodeDigests }))
  expect(disagreements).to.deep.equal([])
}
