import { expect } from 'chai'
import { findingsInThread } from '../../adapters/cli/checks-in-thread.ts'
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

describe('the checks in a thread', () => {
  it(
    'find the same as those of `doctor`, and tell their progress',
    onFile(async (path) => {
      const environment = { DATABASE_URL: `sqlite:${path}` }
      await (await startService(environment)).stop()
      const checked = new Set<string>()
      const findings = await findingsInThread(settings(environment), ({ check }) => checked.add(check))
      const expected = await findingsOf(composition, settings(environment))
      const withoutTimes = (all: typeof findings) =>
        all.filter(({ name }) => !/^(?:disk|hashing)$/.test(name))
      expect(withoutTimes(findings)).to.deep.equal(withoutTimes(expected))
      expect([...checked]).to.include.members(['store', 'log', 'users'])
    }),
  )

  it('are a finding if the thread fails', async () => {
    const [finding, ...others] = await findingsInThread({} as never, () => undefined)
    expect(others).to.deep.equal([])
    expect(finding).to.include({ name: 'checks', ok: false })
    expect(finding?.detail).to.match(/^The checks ended early: .+\. Run portcullis doctor\.$/)
  })
})
