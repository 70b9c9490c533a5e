import { expect } from 'chai'
import * as fc from 'fast-check'
import { REASON_CLASSES, reasonClassOf } from '../../adapters/observing/prometheus/reasons.ts'

/** Reasons that stores give, by the class that counts them. */
const REASONS: Readonly<Record<string, ReadonlyArray<string>>> = {
  closed: ['the store is closed'],
  full: ['SQLITE_FULL', 'PostgreSQL says 53100', '53100', 'ENOSPC', 'EDQUOT'],
  busy: [
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_LOCKED_SHAREDCACHE',
    'too many changes wait for the disk',
    'too many queries wait for a connection',
    'too many other writes of the same rows came first',
    ...['40001', '40P01', '53200', '53300', '55P03', '57014'].flatMap((code) => [
      code,
      `PostgreSQL says ${code}`,
    ]),
    'EAGAIN',
    'EBUSY',
    'EMFILE',
    'ENOMEM',
  ],
  unreadable: [
    'unreadable entry in users',
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'PostgreSQL says XX001',
    'XX001',
  ],
  disk: [
    'SQLITE_IOERR_FSYNC',
    'SQLITE_READONLY',
    'SQLITE_CANTOPEN',
    'PostgreSQL says 58030',
    '58030',
    'EIO',
    'EROFS',
    'ENXIO',
    'ESTALE',
  ],
  connection: [
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENOENT', // the socket of a stopped server
    'EACCES',
    'EPERM',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Connection terminated unexpectedly',
    'the connection to PostgreSQL failed',
    ...['08006', '28P01', '57P01', '57P03'].flatMap((code) => [code, `PostgreSQL says ${code}`]),
  ],
  refused: [
    'PostgreSQL says 42501',
    '42501',
    '23505',
    '22021',
    'PostgreSQL says P0001',
    'SQLITE_CONSTRAINT_TRIGGER',
  ],
  other: [
    'the log already contains an event of this change',
    'the log continues from a copy, and its epoch was not renewed',
    'ERROR',
    'ERR_INVALID_ARG_TYPE',
    '40001 rows',
    'A531001',
    'Full',
    '',
  ],
}

describe('the class of a reason', () => {
  for (const [expected, reasons] of Object.entries(REASONS)) {
    for (const reason of [expected, ...reasons]) {
      it(`of “${reason}” is ${expected}`, () => {
        expect(reasonClassOf(reason)).to.equal(expected)
      })
    }
  }

  it('is one of the named classes for any reason', () => {
    expect(Object.keys(REASONS)).to.have.members([...REASON_CLASSES])
    const code = fc.stringMatching(/^(?:PostgreSQL says |SQLITE_|E)?[A-Z0-9_]{0,8}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), code), (reason) => {
        expect(REASON_CLASSES).to.include(reasonClassOf(reason))
      }),
    )
  })
})
