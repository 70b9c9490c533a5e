import { expect } from 'chai'
import { cannotListen } from '../../adapters/cli/serve.ts'

const settings = { host: '127.0.0.1', port: 80, metricsPort: 81 }

/** Errors of Node, and the messages for operators. */
const TOLD: ReadonlyArray<readonly [error: unknown, told: string]> = [
  [
    { code: 'EADDRINUSE', port: 80 },
    'Port 80 of 127.0.0.1 is in use. Stop the program that uses it, or set PORT to another port.',
  ],
  [
    { code: 'EADDRINUSE', port: 81 },
    'Port 81 of 127.0.0.1 is in use. Stop the program that uses it, or set METRICS_PORT to another port.',
  ],
  [
    { code: 'EACCES', port: 80 },
    'This process may not listen on port 80 of 127.0.0.1 (EACCES). Set PORT to 1024 or higher, or grant it CAP_NET_BIND_SERVICE.',
  ],
  [
    { code: 'EACCES', port: 81 },
    'This process may not listen on port 81 of 127.0.0.1 (EACCES). Set METRICS_PORT to 1024 or higher, or grant it CAP_NET_BIND_SERVICE.',
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

describe('the message of serve if it cannot listen', () => {
  for (const [error, told] of TOLD) {
    it(`names the setting and what to do: ${JSON.stringify(error)}`, () => {
      expect(cannotListen(error, settings)).to.equal(told)
    })
  }

  it('names PORT without METRICS_PORT, also for an error without a port', () => {
    const alone = { ...settings, metricsPort: undefined }
    expect(cannotListen({ code: 'EADDRINUSE' }, alone)).to.include('or set PORT to')
  })
})
