import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

describe('the package', () => {
  it('holds what was compiled of the service and what is to be read about it, and no test, source or setting', () => {
    const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [{ files }]: [{ files: ReadonlyArray<{ path: string }> }] = JSON.parse(printed)
    const [beside, compiled] = [false, true].map((wanted) =>
      files.map(({ path }) => path).filter((path) => path.startsWith('dist/') === wanted),
    )
    expect(beside).to.have.members(['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'])
    expect(compiled?.length).to.be.greaterThan(100)
    for (const path of compiled ?? [])
      expect(path).to.match(
        /^dist\/(?:domain|application|adapters)\/.+\.(?:js|js\.map|d\.ts|d\.ts\.map|sql)$/,
      )
  })
})
