import { alt, map, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import type { Application, PreviousKey } from '../../../domain/application.ts'
import type { Session, SessionFacts } from '../../../domain/session.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { USER_STATUSES, type User } from '../../../domain/user.ts'
import { anApplication, aSession, aUser } from '../builders.ts'
import { altered, type Broken, broken, turn } from './broken.ts'

/** Stores that give back something else than was written. */
export const BROKEN_RECORDS: ReadonlyArray<Broken> = [
  ...(
    ['id', 'name', 'scope', 'keyId', 'keyDigest', 'previousKey', 'revoked', 'version'] satisfies Array<
      keyof Application
    >
  ).map((field) =>
    broken(`spoils an application's ${field}`, 'an application reads back field by field', (store) => ({
      findApplication: (id) => altered(store.findApplication(id), map(spoil(field))),
    })),
  ),
  ...(
    [
      'id',
      'email',
      'passwordRecord',
      'passwordScheme',
      'passwordVersion',
      'status',
      'version',
    ] satisfies Array<keyof User>
  ).map((field) =>
    broken(`spoils a user's ${field}`, 'a user reads back field by field', (store) => ({
      findUserByEmail: (email) => altered(store.findUserByEmail(email), map(spoil(field))),
    })),
  ),
  ...(
    [
      'id',
      'userId',
      'passwordVersion',
      'createdAtSeconds',
      'expiresAtSeconds',
      'applicationId',
      'signedOut',
      'version',
    ] satisfies Array<keyof Session>
  ).map((field) =>
    broken(`spoils a session's ${field}`, 'a session reads back field by field, with its user', (store) => ({
      findSession: (id) =>
        altered(
          store.findSession(id),
          map((found) => ({ ...found, session: spoil<Session>(field)(found.session) })),
        ),
    })),
  ),
  ...(
    [
      'id',
      'kid',
      'purpose',
      'material',
      'createdAtSeconds',
      'signsFromSeconds',
      'retiresAtSeconds',
      'retired',
      'version',
    ] satisfies Array<keyof SigningKey>
  ).map((field) =>
    broken(`spoils a signing key's ${field}`, 'a signing key reads back field by field', (store) => ({
      listSigningKeys: () => altered(store.listSigningKeys(), (keys) => keys.map(spoil(field))),
    })),
  ),
  ...(['id', 'digest', 'untilSeconds'] satisfies Array<keyof PreviousKey>).map((field) =>
    broken(
      `spoils the ${field} of an application's previous key`,
      'an application reads back field by field',
      (store) => ({
        findApplication: (id) =>
          altered(
            store.findApplication(id),
            map((found) => ({ ...found, previousKey: map(spoil<PreviousKey>(field))(found.previousKey) })),
          ),
      }),
    ),
  ),
  ...USER_STATUSES.map((status) =>
    broken(`forgets that a user is ${status}`, 'a user reads back in every status there is', (store) => ({
      findUserByEmail: (email) =>
        altered(
          store.findUserByEmail(email),
          map((found) => (found.status === status ? spoil<User>('status')(found) : found)),
        ),
    })),
  ),
  broken('makes a previous key up', 'what a record does not have reads back as none', (store) => ({
    findApplication: (id) =>
      altered(
        store.findApplication(id),
        map((found) => ({
          ...found,
          previousKey: alt(() => some({ id: '', digest: '', untilSeconds: 0 }))(found.previousKey),
        })),
      ),
  })),
  broken(
    'lets a key retire at the beginning of time',
    'what a record does not have reads back as none',
    (store) => ({
      listSigningKeys: () =>
        altered(store.listSigningKeys(), (keys) =>
          keys.map((key) => ({ ...key, retiresAtSeconds: alt(() => some(0))(key.retiresAtSeconds) })),
        ),
    }),
  ),
  broken(
    'lets a session be opened at the beginning of time',
    'what a record does not have reads back as none',
    (store) => ({
      findSession: (id) =>
        altered(
          store.findSession(id),
          map((facts) => ({
            ...facts,
            session: {
              ...facts.session,
              createdAtSeconds: alt(() => some(0))(facts.session.createdAtSeconds),
            },
          })),
        ),
    }),
  ),
  broken('writes only what a record has', 'what a record has no longer reads back as none', (store) => {
    let last: Application['previousKey'] = none
    return {
      findApplication: (id) =>
        altered(
          store.findApplication(id),
          map((found) => ({ ...found, previousKey: alt(() => last)(found.previousKey) })),
        ),
      commit: (change) => {
        for (const { table, row } of change.rows) {
          if (table === 'applications') last = alt(() => last)(row.previousKey)
        }
        return store.commit(change)
      },
    }
  }),
  broken('is not empty when it is new', 'a new store holds nothing', () => ({
    findUserByEmail: () => async () => ({ _tag: 'Right', right: some(aUser()) }),
  })),
  broken(
    'lists the youngest key first',
    'signing keys come oldest first, whichever was written first',
    (store) => ({
      listSigningKeys: () => altered(store.listSigningKeys(), (keys) => [...keys].sort(byAge).reverse()),
    }),
  ),
  broken('knows only ASCII', 'a name outside ASCII reads back as it was written', (store) => ({
    findApplication: (id) =>
      altered(
        store.findApplication(id),
        map((found) => ({ ...found, name: found.name.replace(/[^ -~]/g, '?') })),
      ),
  })),
  broken('normalizes Unicode', 'a name outside ASCII reads back as it was written', (store) => ({
    findApplication: (id) =>
      altered(
        store.findApplication(id),
        map((found) => ({ ...found, name: found.name.normalize('NFC') })),
      ),
  })),
  broken(
    'finds some application under any id',
    'an id or e-mail that nobody has is none, also among others',
    (store) => {
      let any: Option<Application> = some(anApplication())
      return {
        findApplication: (id) =>
          altered(store.findApplication(id), (found) => {
            any = found._tag === 'Some' ? found : any
            return any
          }),
      }
    },
  ),
  broken('makes up a user for a session without one', 'a session whose user does not exist is none', () => ({
    findSession: (id) => async () => ({
      _tag: 'Right',
      right: some({ session: aSession({ id }), user: aUser(), application: none }),
    }),
  })),
  broken(
    'keeps the first session it was shown',
    ['a record reads back as it was last written', 'a session comes with its user as the user is now'],
    (store) => {
      const first = new Map<string, Option<SessionFacts>>()
      return {
        commit: (change) => async () => {
          const outcome = await store.commit(change)()
          for (const { table, row } of change.rows) {
            if (table === 'sessions' && !first.has(row.id)) {
              const found = await store.findSession(row.id)()
              if (found._tag === 'Right') first.set(row.id, found.right)
            }
          }
          return outcome
        },
        findSession: (id) => altered(store.findSession(id), (found) => first.get(id) ?? found),
      }
    },
  ),
  broken('answers before it writes', 'what is read once a commit has resolved holds it', (store) => ({
    commit: (change) => async () => {
      setImmediate(store.commit(change))
      return { _tag: 'Right', right: undefined }
    },
  })),
]

const byAge = (one: SigningKey, other: SigningKey): number => one.createdAtSeconds - other.createdAtSeconds

/** A record whose field holds something else of the same type. */
export const spoil =
  <Entity extends object>(field: keyof Entity) =>
  (entity: Entity): Entity => ({ ...entity, [field]: another(entity[field]) })

const another = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.slice(1)
  return typeof value === 'object' ? none : `${value}?`
}

export const atTwoMoments =
  (store: Store): Store['findSession'] =>
  (id) =>
  async () => {
    const early = await store.findSession(id)()
    await turn()
    const late = await store.findSession(id)()
    if (early._tag === 'Left' || late._tag === 'Left') return early
    if (early.right._tag === 'None' || late.right._tag === 'None') return early
    return {
      _tag: 'Right',
      right: some({ ...early.right.value, user: late.right.value.user }),
    }
  }
