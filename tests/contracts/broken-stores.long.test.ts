import { expect } from 'chai'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { casesOnShared, casesOnStore } from '../testkit/frames.ts'
import { lookUpCases } from '../testkit/store/look-ups.ts'
import { sharedVersionCases, sharedVersionRaceCases, versionCases } from '../testkit/store/versions.ts'
import {
  failingStoreContract,
  lastingStoreContract,
  losingStoreContract,
  type OpenStore,
  type StoreCapabilities,
  sharedStoreContract,
  storeContract,
} from '../testkit/store.ts'
import { ATOMICITY_MUTATIONS, COMMIT_MUTATIONS, ROW_ORDER_MUTATIONS } from './broken/commits.ts'
import { COMPARED_ROW_MUTATIONS, SHARED_COMPARED_ROW_MUTATIONS } from './broken/compared-rows.ts'
import { EMAIL_MUTATIONS } from './broken/emails.ts'
import { EPOCH_MUTATIONS } from './broken/epoch.ts'
import { EXPIRED_ROW_MUTATIONS } from './broken/expired-rows.ts'
import { FACTOR_MUTATIONS } from './broken/factors.ts'
import { proveContract } from './broken/harness.ts'
import { KNOWN_USER_MUTATIONS } from './broken/known-users.ts'
import { LABEL_MUTATIONS } from './broken/labels.ts'
import { LIST_MUTATIONS } from './broken/lists.ts'
import { LOG_MUTATIONS } from './broken/log.ts'
import { handlesOn, type Mutate, type MutateHandles } from './broken/mutations.ts'
import { ONE_TIME_TOKEN_MUTATIONS } from './broken/one-time-tokens.ts'
import { RECORD_MUTATIONS } from './broken/records.ts'
import { ROW_MUTATIONS } from './broken/rows.ts'
import {
  FAILING_MUTATIONS,
  failingMemory,
  LASTING_MUTATIONS,
  LOSING_MUTATIONS,
  losingMemory,
  type MutateFailing,
  type MutateLosing,
} from './broken/store-failures.ts'
import { SHARED_MUTATIONS } from './broken/store-handles.ts'
import { LIFE_MUTATIONS, LOOK_UP_MUTATIONS } from './broken/store-life.ts'
import { USER_SEARCH_MUTATIONS } from './broken/user-searches.ts'
import { USER_MUTATIONS } from './broken/users.ts'
import { SHARED_VERSION_MUTATIONS, VERSION_MUTATIONS } from './broken/versions.ts'

const open = (mutate: Mutate<Store> = () => ({})) => {
  const store = memoryStore()
  return { store: { ...store, ...mutate(store) } }
}

const failing = async (mutate?: MutateFailing) => failingMemory(mutate)
const losing = async (mutate?: MutateLosing) => losingMemory(mutate)

const lasting = async (mutate?: MutateHandles<Store>) => {
  const next = handlesOn(memoryStore(), mutate)
  return { store: next(), reopen: async () => next() }
}

const shared = async (mutate?: MutateHandles<Store>) => {
  const next = handlesOn(memoryStore(), mutate)
  return { store: next(), another: async () => next() }
}

describe('the contract of Store', () =>
  proveContract<Mutate<Store>>(
    (runner, mutate) => storeContract(runner, async () => open(mutate)),
    [
      ...RECORD_MUTATIONS,
      ...LABEL_MUTATIONS,
      ...LIST_MUTATIONS,
      ...ROW_MUTATIONS,
      ...USER_MUTATIONS,
      ...USER_SEARCH_MUTATIONS,
      ...KNOWN_USER_MUTATIONS,
      ...ONE_TIME_TOKEN_MUTATIONS,
      ...FACTOR_MUTATIONS,
      ...EXPIRED_ROW_MUTATIONS,
      ...LOG_MUTATIONS,
      ...EPOCH_MUTATIONS,
      ...COMMIT_MUTATIONS,
      ...VERSION_MUTATIONS,
      ...ATOMICITY_MUTATIONS,
      ...COMPARED_ROW_MUTATIONS,
      ...EMAIL_MUTATIONS,
      ...ROW_ORDER_MUTATIONS,
      ...LIFE_MUTATIONS,
    ],
  ))

describe('the contract of a lasting Store', () =>
  proveContract((runner, mutate) => lastingStoreContract(runner, () => lasting(mutate)), LASTING_MUTATIONS))

describe('the contract of a shared Store', () =>
  proveContract(
    (runner, mutate) => sharedStoreContract(runner, () => shared(mutate)),
    [...SHARED_MUTATIONS, ...SHARED_VERSION_MUTATIONS, ...SHARED_COMPARED_ROW_MUTATIONS],
  ))

describe('the contract of a failing Store', () =>
  proveContract((runner, mutate) => failingStoreContract(runner, () => failing(mutate)), FAILING_MUTATIONS))

describe('the contract of a Store that loses an answer', () =>
  proveContract((runner, mutate) => losingStoreContract(runner, () => losing(mutate)), LOSING_MUTATIONS))

describe('look-ups, each in cases with its name', () =>
  proveContract<Mutate<Store>>(
    (runner, mutate) => lookUpCases(casesOnStore(runner, async () => open(mutate))),
    LOOK_UP_MUTATIONS,
    { isExact: true },
  ))

describe('the versions of each table', () =>
  proveContract<Mutate<Store>>(
    (runner, mutate) => versionCases(casesOnStore(runner, async () => open(mutate))),
    VERSION_MUTATIONS,
    { isExact: true },
  ))

describe('the versions of each table through several handles', () =>
  proveContract<MutateHandles<Store>>(
    (runner, mutate) => {
      const check = casesOnShared(runner, async () => {
        const opened = await shared(mutate)
        return { ...opened, adapter: opened.store }
      })
      sharedVersionCases(check)
      sharedVersionRaceCases(check)
    },
    SHARED_VERSION_MUTATIONS,
    { isExact: true },
  ))

describe('what a store can do besides', () => {
  const groupsOf = (capabilities?: StoreCapabilities) => {
    const groups: Array<string> = []
    storeContract(
      { describe: (name) => groups.push(name), it: () => {} },
      async () => ({ store: memoryStore() }),
      capabilities,
    )
    return groups
  }
  const [LASTS, HANDLES, RACES, FAILS, LOSES] = [
    'closed and opened again',
    'several handles on one store',
    'several handles that write at once',
    'while the store fails',
    'a lost answer',
  ] as const

  it('is tested if it is declared, and not registered otherwise', () => {
    for (const name of [LASTS, HANDLES, RACES, FAILS, LOSES]) expect(groupsOf()).to.not.include(name)
    expect(groupsOf({ lasting })).to.deep.equal([...groupsOf(), LASTS])
    expect(groupsOf({ shared })).to.deep.equal([...groupsOf(), HANDLES, RACES])
    expect(groupsOf({ failing })).to.deep.equal([...groupsOf(), FAILS])
    expect(groupsOf({ losing })).to.deep.equal([...groupsOf(), LOSES])
    expect(groupsOf({ lasting, shared, failing, losing })).to.deep.equal([
      ...groupsOf(),
      LASTS,
      HANDLES,
      RACES,
      FAILS,
      LOSES,
    ])
  })

  it('cannot be declared by a store without the means to test it', () => {
    const open: OpenStore = async () => ({ store: memoryStore() })
    const declared: ReadonlyArray<StoreCapabilities> = [
      // @ts-expect-error: the store cannot be reopened
      { lasting: open },
      // @ts-expect-error: there is no other handle
      { shared: open },
      // @ts-expect-error: a declaration is not enough
      { lasting: true },
      // @ts-expect-error: another handle is not a reopened store
      { shared: lasting },
      // @ts-expect-error: no failures can be caused
      { failing: open },
      // @ts-expect-error: a failing store has not written a change with a lost response
      { losing: failing },
    ]
    expect(declared.flatMap(Object.keys)).to.deep.equal([
      'lasting',
      'shared',
      'lasting',
      'shared',
      'failing',
      'losing',
    ])
  })
})
