import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import {
  type EntriesKeptAtMost,
  lastingProtocolStateContract,
  protocolStateContract,
  sharedProtocolStateContract,
} from '../testkit/protocol-state.ts'
import { proveContract } from './broken/harness.ts'
import { handlesOn } from './broken/mutations.ts'
import { PROTOCOL_STATE_MUTATIONS } from './broken/protocol-state.ts'
import { type MutateBounds, PROTOCOL_STATE_BOUND_MUTATIONS } from './broken/protocol-state-bounds.ts'
import {
  LASTING_PROTOCOL_STATE_MUTATIONS,
  type ProtocolHandles,
  SHARED_PROTOCOL_STATE_MUTATIONS,
} from './broken/protocol-state-handles.ts'
import { PROTOCOL_STATE_REMOVAL_MUTATIONS } from './broken/protocol-state-removals.ts'
import { PROTOCOL_STATE_REPLACING_MUTATIONS } from './broken/protocol-state-replacing.ts'
import { PROTOCOL_STATE_SURPLUS_MUTATIONS } from './broken/protocol-state-surplus.ts'

const open =
  (mutate: MutateBounds = () => ({})) =>
  async (keptAtMost: EntriesKeptAtMost) => {
    const state = memoryProtocolState(keptAtMost)
    return { state: { ...state, ...mutate(state, keptAtMost) } }
  }

const openHandles = (mutate?: ProtocolHandles) => async (keptAtMost: EntriesKeptAtMost) => {
  const next = handlesOn(memoryProtocolState(keptAtMost), mutate)
  return { state: next(), another: async () => next(), reopen: async () => next() }
}

describe('the contract of ProtocolState', () =>
  proveContract<MutateBounds>(
    (runner, mutate) => protocolStateContract(runner, open(mutate)),
    [
      ...PROTOCOL_STATE_MUTATIONS,
      ...PROTOCOL_STATE_REPLACING_MUTATIONS,
      ...PROTOCOL_STATE_SURPLUS_MUTATIONS,
      ...PROTOCOL_STATE_REMOVAL_MUTATIONS,
      ...PROTOCOL_STATE_BOUND_MUTATIONS,
    ],
  ))

describe('the contract of lasting ProtocolState', () =>
  proveContract<ProtocolHandles>(
    (runner, mutate) => lastingProtocolStateContract(runner, openHandles(mutate)),
    LASTING_PROTOCOL_STATE_MUTATIONS,
  ))

describe('the contract of shared ProtocolState', () =>
  proveContract<ProtocolHandles>(
    (runner, mutate) => sharedProtocolStateContract(runner, openHandles(mutate)),
    SHARED_PROTOCOL_STATE_MUTATIONS,
  ))
