import { expect } from 'chai'
import { cannotListen } from '../../adapters/driving/cli/cannot-listen.ts'

const settings = { host: '127.0.0.1', port: 80, metricsPort: 81 }

/** What Node says, and what an operator is told. */
const TOLD: ReadonlyArray<readonly [error: unknown, told: string]> = [
  [{ code: 'EADDRINUSE', port: 80 }, 'Port 80 of 127.0.0.1 is taken. Stop what listens there, or set PORT.'],
  [
    { code: 'EADDRINUSE', port: 81 },
    'Port 81 of 127.0.0.1 is taken. Stop what listens there, or set METRICS_PORT.',
  ],
  [
    { code: 'EACCES', port: 80 },
    'Port 80 of 127.0.0.1 needs rights that this process does not have (EACCES), as those below 1024 do. Set PORT to 1024 or more, or give it the right.',
  ],
  [
    { code: 'EACCES', port: 81 },
    'Port 81 of 127.0.0.1 needs rights that this process does not have (EACCES), as those below 1024 do. Set METRICS_PORT to 1024 or more, or give it the right.',
  ],
  [
    { code: 'EADDRNOTAVAIL', port: 81 },
    'Cannot listen on port 81 of 127.0.0.1 (EADDRNOTAVAIL). Set HOST and METRICS_PORT to an address of this machine.',
  ],
  [
    { code: 'ENOTFOUND' },
    'Cannot listen on port 80 of 127.0.0.1 (ENOTFOUND). Set HOST and PORT to an address of this machine.',
  ],
  [
    'no error at all',
    'Cannot listen on port 80 of 127.0.0.1 (unknown). Set HOST and PORT to an address of this machine.',
  ],
]

describe('what serve says when it cannot listen', () => {
  for (const [error, told] of TOLD) {
    it(`names the setting, and what to do with it: ${JSON.stringify(error)}`, () => {
      expect(cannotListen(error, settings)).to.equal(told)
    })
  }

  it('names PORT where there is no METRICS_PORT, also for an error without a port', () => {
    const alone = { ...settings, metricsPort: undefined }
    expect(cannotListen({ code: 'EADDRINUSE' }, alone)).to.include('set PORT.')
  })
})
