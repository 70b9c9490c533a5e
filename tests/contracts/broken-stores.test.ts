import { expect } from 'chai'
import { memoryStore } from '../../adapters/driven/memory/store.ts'
import { provesToBeAContract } from './broken/a-contract.ts'
import { BROKEN_CLOSINGS } from './broken/closing.ts'
import { BROKEN_COMMITS } from './broken/commits.ts'
import { BROKEN_EMAILS } from './broken/emails.ts'
import { BROKEN_EPOCHS } from './broken/epochs.ts'
import { BROKEN_FAILING, BROKEN_LOSING, failingMemory, losingMemory } from './broken/failing.ts'
import { sharedMemory } from './broken/handles.ts'
import { BROKEN_LASTING, lastingMemory } from './broken/lasting.ts'
import { BROKEN_LISTINGS } from './broken/listing.ts'
import { BROKEN_LOGS } from './broken/log.ts'
import { BROKEN_LOOK_UPS } from './broken/look-ups.ts'
import { NOT_ATOMIC, NOT_ATOMIC_SHARED } from './broken/not-atomic.ts'
import { SHARING_OBJECTS } from './broken/own-objects.ts'
import { BROKEN_PASSWORD_SCHEMES } from './broken/password-schemes.ts'
import { BROKEN_RECORDS } from './broken/records.ts'
import { BROKEN_REVOKED_TOKENS } from './broken/revoked-tokens.ts'
import { BROKEN_ROW_ORDERS } from './broken/rows-in-order.ts'
import { BROKEN_SESSION_APPLICATIONS } from './broken/session-applications.ts'
import { BROKEN_SESSIONS } from './broken/sessions.ts'
import { BROKEN_SHARED } from './broken/shared.ts'
import { BROKEN_RACES } from './broken/shared-races.ts'
import { BROKEN_WRITABILITY } from './broken/writability.ts'
import {
  failingStoreContract,
  lastingStoreContract,
  losingStoreContract,
  type OpenStore,
  type StoreCapabilities,
  sharedStoreContract,
  storeContract,
} from './store.ts'

describe('the contract of Store is a contract', () =>
  provesToBeAContract(
    'a store',
    (runner, open) => storeContract(runner, async () => ({ store: open() })),
    memoryStore,
    [
      ...BROKEN_RECORDS,
      ...BROKEN_LOOK_UPS,
      ...BROKEN_SESSIONS,
      ...BROKEN_SESSION_APPLICATIONS,
      ...BROKEN_REVOKED_TOKENS,
      ...BROKEN_PASSWORD_SCHEMES,
      ...BROKEN_LISTINGS,
      ...BROKEN_LOGS,
      ...BROKEN_EPOCHS,
      ...BROKEN_COMMITS,
      ...NOT_ATOMIC,
      ...SHARING_OBJECTS,
      ...BROKEN_EMAILS,
      ...BROKEN_ROW_ORDERS,
      ...BROKEN_WRITABILITY,
      ...BROKEN_CLOSINGS,
    ],
  ))

describe('the contract of a Store that lasts is a contract', () =>
  provesToBeAContract('a lasting store', lastingStoreContract, lastingMemory, BROKEN_LASTING))

describe('the contract of a Store that is shared is a contract', () =>
  provesToBeAContract('a shared store', sharedStoreContract, sharedMemory, [
    ...BROKEN_SHARED,
    ...BROKEN_RACES,
    ...NOT_ATOMIC_SHARED,
  ]))

describe('the contract of a Store that fails is a contract', () =>
  provesToBeAContract('a failing store', failingStoreContract, failingMemory, BROKEN_FAILING))

describe('the contract of a Store that loses an answer is a contract', () =>
  provesToBeAContract('a store that loses an answer', losingStoreContract, losingMemory, BROKEN_LOSING))

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

  it('is put to the test when it is declared, and not mentioned when it is not', () => {
    for (const name of [LASTS, HANDLES, RACES, FAILS, LOSES]) expect(groupsOf()).to.not.include(name)
    expect(groupsOf({ lasting: lastingMemory })).to.deep.equal([...groupsOf(), LASTS])
    expect(groupsOf({ shared: sharedMemory })).to.deep.equal([...groupsOf(), HANDLES, RACES])
    expect(groupsOf({ failing: failingMemory })).to.deep.equal([...groupsOf(), FAILS])
    expect(groupsOf({ losing: losingMemory })).to.deep.equal([...groupsOf(), LOSES])
    const [lasting, shared, failing, losing] = [lastingMemory, sharedMemory, failingMemory, losingMemory]
    expect(groupsOf({ lasting, shared, failing, losing })).to.deep.equal([
      ...groupsOf(),
      LASTS,
      HANDLES,
      RACES,
      FAILS,
      LOSES,
    ])
  })

  it('cannot be declared by a store that gives nothing to see it by', () => {
    const open: OpenStore = async () => ({ store: memoryStore() })
    const declared: ReadonlyArray<StoreCapabilities> = [
      // @ts-expect-error: it cannot be opened again
      { lasting: open },
      // @ts-expect-error: there is no other handle
      { shared: open },
      // @ts-expect-error: saying so is not enough
      { lasting: true },
      // @ts-expect-error: another handle is not the same as the store opened again
      { shared: lastingMemory },
      // @ts-expect-error: nothing makes it fail
      { failing: open },
      // @ts-expect-error: a store that fails has not written what it gives no answer to
      { losing: failingMemory },
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
