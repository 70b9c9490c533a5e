import { decoyRecord, formatRecord, type ScryptCost } from '../../adapters/credentials/scrypt/record.ts'

/** A well-formed record of this service that no password matches. */
export const ownRecord = (cost: ScryptCost, pepperId = ''): string =>
  formatRecord(decoyRecord(cost), { id: pepperId, secret: '' })
