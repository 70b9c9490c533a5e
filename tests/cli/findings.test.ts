import { expect } from 'chai'
import { findingsOf } from '../../adapters/cli/doctor.ts'
import { composition } from '../../adapters/composition/compose.ts'
import { onFile } from '../sqlite/folder.ts'
import { startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

describe('the checks on a machine that cannot hash', () => {
  it(
    'fail only for hashing',
    onFile(async (path) => {
      const environment = { DATABASE_URL: `sqlite:${path}` }
      await (await startService(environment)).stop()
      const { scrypt, ...others } = settings(environment)
      // This cost needs a thousand times the memory of a machine.
      const findings = await findingsOf(composition, { ...others, scrypt: { ...scrypt, logN: 40, r: 32 } })
      expect(findings.filter(({ ok }) => !ok)).to.deep.equal([
        {
          name: 'hashing',
          ok: false,
          detail: 'A hash failed: the machine lacks memory, or it is overloaded.',
        },
      ])
      expect(findings.map(({ name }) => name)).to.deep.equal([
        'settings',
        'permissions',
        'disk',
        'store',
        'servers',
        'log',
        'history',
        'applications',
        'keys',
        'passwords',
        'hashing',
      ])
    }),
  )
})
