import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { succeed } from './outcome.ts'

/** Users of a store without schemes, and the expected schemes of their records. */
const USERS_BEFORE_SCHEMES: ReadonlyArray<
  readonly [id: string, status: 'enabled' | 'removed', record: string, scheme: string]
> = [
  [
    'at minimal cost',
    'enabled',
    '1$$c2NyeXB0AAEAAAABAAAAAd/kpEZXPH3Vw/W8qaQpaHqAsss14JS8DnZ4j7Nw1fMQWmsJC7fpDDiGhMvKYXP1ezlzzfroyIc3/Xi0L4ibG9Lr6jkpKK5DGlCE9hIQ9yyJ',
    'scrypt ln=1,r=1,p=1',
  ],
  [
    'under a pepper',
    'enabled',
    '1$gone$c2NyeXB0AAEAAAAIAAAAAeYJzM495SGRWihR5q/mJTSQSsdhPlZaDK/jizDwvx8C0BU/5I8kh7lUhRv8aOSWxbEpyEVSnvFnJqdUjXQSdiLDDXtvnwnvJK6C28LDf/hC',
    'scrypt ln=1,r=8,p=1 pepper=gone',
  ],
  [
    'at a cost that uses every byte',
    'enabled',
    `1$$${kdf([200, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98])}`,
    'scrypt ln=200,r=2309737967,p=4275878552',
  ],
  ['of other bytes of that length', 'enabled', `1$$${Buffer.alloc(96, 7).toString('base64')}`, ''],
  ['cut short', 'enabled', '1$$c2NyeXB0', ''],
  ['of another scheme', 'enabled', `2$$${kdf([15, 0, 0, 0, 8, 0, 0, 0, 3])}`, ''],
  ['with trailing text', 'enabled', `1$$${kdf([15, 0, 0, 0, 8, 0, 0, 0, 3])}$`, ''],
  ['without a format', 'enabled', 'record', ''],
  ['removed', 'removed', '', ''],
]

function kdf(cost: ReadonlyArray<number>): string {
  return Buffer.concat([Buffer.from('scrypt\0'), Buffer.from(cost), Buffer.alloc(80, 1)]).toString('base64')
}

/** @param prefix of every table */
export const usersBeforeSchemes = (prefix = ''): string =>
  USERS_BEFORE_SCHEMES.map(
    ([id, status, record]) => `
    INSERT INTO ${prefix}users (id, email, email_key, password_record, password_version, status, version)
      VALUES ('${id}', '${id}', '${id}', '${record}', 1, '${status}', 3);`,
  ).join('')

/** How a version without schemes writes a new password. */
export const passwordOfBefore = (prefix = ''): string =>
  `INSERT INTO ${prefix}users (id, email, email_key, password_record, password_version, status, version)
     VALUES ('of before', 'of before', 'of before', 'record', 1, 'enabled', 1)`

/** Checks after the migration that each of these users has its scheme and is otherwise unchanged. */
export const expectLabelled = async (store: Store): Promise<void> => {
  const users = await succeed(store.listRows({ table: 'users', after: '', limit: 100 }))
  expect(
    users.map(({ id, status, passwordRecord, passwordScheme, version }) => [
      id,
      status,
      passwordRecord,
      passwordScheme,
      version,
    ]),
  ).to.have.deep.members(USERS_BEFORE_SCHEMES.map((user) => [...user, 3]))
  const schemes = [...new Set(USERS_BEFORE_SCHEMES.map(([, , , scheme]) => scheme))].filter(Boolean).sort()
  expect(await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))).to.deep.equal(schemes)
}
