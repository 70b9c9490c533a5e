import { lastingOutboxContract, outboxContract, sharedOutboxContract } from '../testkit/outbox.ts'
import { proveContract } from './broken/harness.ts'
import { type MutateMailing, openMailing } from './broken/mailing.ts'
import { OUTBOX_MUTATIONS } from './broken/outbox.ts'
import {
  LASTING_OUTBOX_MUTATIONS,
  OUTBOX_CHANGE_MUTATIONS,
  SHARED_OUTBOX_MUTATIONS,
} from './broken/outbox-changes.ts'

const openHandles = (mutate?: MutateMailing) => async () => {
  const { handle } = openMailing(mutate)
  return { ...handle(), another: async () => handle(), reopen: async () => handle() }
}

describe('the contract of Outbox', () =>
  proveContract<MutateMailing>(
    (runner, mutate) => outboxContract(runner, async () => openMailing(mutate).alone()),
    [...OUTBOX_MUTATIONS, ...OUTBOX_CHANGE_MUTATIONS],
  ))

describe('the contract of a lasting Outbox', () =>
  proveContract<MutateMailing>(
    (runner, mutate) => lastingOutboxContract(runner, openHandles(mutate)),
    LASTING_OUTBOX_MUTATIONS,
  ))

describe('the contract of a shared Outbox', () =>
  proveContract<MutateMailing>(
    (runner, mutate) => sharedOutboxContract(runner, openHandles(mutate)),
    SHARED_OUTBOX_MUTATIONS,
  ))
