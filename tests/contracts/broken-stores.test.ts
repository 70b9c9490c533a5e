import { memoryStore } from '../../adapters/memory/store.ts'
import { provesToBeAContract } from './broken/a-contract.ts'
import { BROKEN_CLOSINGS } from './broken/closing.ts'
import { BROKEN_COMMITS } from './broken/commits.ts'
import { BROKEN_EMAILS } from './broken/emails.ts'
import { BROKEN_LISTINGS } from './broken/listing.ts'
import { BROKEN_LOGS } from './broken/log.ts'
import { BROKEN_RECORDS } from './broken/records.ts'
import { storeContract } from './store.ts'

describe('the contract of Store is a contract', () =>
  provesToBeAContract(
    'a store',
    (runner, open) => storeContract(runner, async () => ({ store: open() })),
    memoryStore,
    [
      ...BROKEN_RECORDS,
      ...BROKEN_LISTINGS,
      ...BROKEN_LOGS,
      ...BROKEN_COMMITS,
      ...BROKEN_EMAILS,
      ...BROKEN_CLOSINGS,
    ],
  ))
