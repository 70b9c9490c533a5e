import { readFileSync } from 'node:fs'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems'
import { expect } from 'chai'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { ROOT } from '../architecture/root.ts'
import { CLIENT, pack } from './packed.ts'

/**
 * The resolution modes checked. The linter’s `esm-only` profile omits the others: `node10` does not support `exports`, and
 * `node16-cjs` would only report that the package has no CommonJS. In all supported versions of Node, `require` loads
 * ES modules.
 */
const RESOLUTIONS = ['node16-esm', 'bundler'] as const

/** The packages, with the folder of each and what they export. */
const PACKAGES = [
  ['portcullis', ROOT, ['.', './client', './testing', './testkit', './package.json']],
  ['portcullis-client', CLIENT, ['.', './package.json']],
] as const

for (const [name, folder, entries] of PACKAGES)
  describe(`${name}, checked by package linters`, () => {
    const packed = pack(folder)
    after(packed.remove)
    const tarball = new Uint8Array(readFileSync(packed.tarball))

    it('has no findings of publint', async () => {
      const { messages, pkg } = await publint({
        pack: { tarball: tarball.buffer },
        level: 'suggestion',
        strict: true,
      })
      expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).to.deep.equal([])
      expect(pkg.name).to.equal(name)
    })

    it('has types for all exports, as arethetypeswrong resolves them', async () => {
      const analysis = await checkPackage(createPackageFromTarballData(tarball))
      expect(analysis.types).to.deep.equal({ kind: 'included' })
      const { problems, entrypoints } = analysis as Analysis
      expect(Object.keys(entrypoints)).to.deep.equal(entries)
      for (const kind of RESOLUTIONS) {
        const found = problems.filter((problem) =>
          problemAffectsResolutionKind(problem, kind, analysis as Analysis),
        )
        expect(found, kind).to.deep.equal([])
      }
    })
  })
