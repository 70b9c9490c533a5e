import { readFileSync } from 'node:fs'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems'
import { expect } from 'chai'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { pack } from './packed.ts'

/**
 * The resolution modes checked. The linter’s `esm-only` profile omits the others: `node10` does not support `exports`, and
 * `node16-cjs` would only report that the package has no CommonJS. In all supported versions of Node, `require` loads
 * ES modules.
 */
const RESOLUTIONS = ['node16-esm', 'bundler'] as const

describe('the package, checked by package linters', () => {
  const packed = pack()
  after(packed.remove)
  const tarball = new Uint8Array(readFileSync(packed.tarball))

  it('has no findings of publint', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: tarball.buffer },
      level: 'suggestion',
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).to.deep.equal([])
    expect(pkg.name).to.equal('portcullis')
  })

  it('has types for all exports, as arethetypeswrong resolves them', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball))
    expect(analysis.types).to.deep.equal({ kind: 'included' })
    const { problems, entrypoints } = analysis as Analysis
    expect(Object.keys(entrypoints)).to.deep.equal([
      '.',
      './client',
      './testing',
      './testkit',
      './package.json',
    ])
    for (const kind of RESOLUTIONS) {
      const found = problems.filter((problem) =>
        problemAffectsResolutionKind(problem, kind, analysis as Analysis),
      )
      expect(found, kind).to.deep.equal([])
    }
  })
})
