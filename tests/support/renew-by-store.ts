import { automaticRenewal } from '../../adapters/stores/records/renewal.ts'
import type { Store } from '../../application/ports/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { ok } from '../testkit/outcome.ts'

/** Renews the epoch like a store that is about to write on a copy. It resolves with the new epoch. */
export const renewByStore = (store: Store): Promise<string> =>
  ok(store.renewEpoch(automaticRenewal(change(issuedToken()))))
