import { readFileSync } from 'node:fs'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems'
import { expect } from 'chai'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { pack } from './packed.ts'

/**
 * How a package is looked for. Left out, as the profile `esm-only` of the linter's own command leaves them out: `node10`, which knows no
 * `exports`, and `node16-cjs`, of which it would only say that there is no CommonJS here; Node has `require` take ES modules
 * in every version that is supported.
 */
const LOOKED_FOR = ['node16-esm', 'bundler'] as const

describe('the package, as linters of packages see it', () => {
  const packed = pack()
  after(packed.remove)
  const tarball = new Uint8Array(readFileSync(packed.tarball))

  it('has nothing that publint would have otherwise', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: tarball.buffer },
      level: 'suggestion',
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).to.deep.equal([])
    expect(pkg.name).to.equal('portcullis')
  })

  it('has types for all that it exports, found by whatever looks for ES modules, as arethetypeswrong sees it', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball))
    expect(analysis.types).to.deep.equal({ kind: 'included' })
    const { problems, entrypoints } = analysis as Analysis
    expect(Object.keys(entrypoints)).to.deep.equal(['.', './testkit', './package.json'])
    for (const kind of LOOKED_FOR) {
      const found = problems.filter((problem) =>
        problemAffectsResolutionKind(problem, kind, analysis as Analysis),
      )
      expect(found, kind).to.deep.equal([])
    }
  })
})
