import { join } from 'node:path'
import { expect } from 'chai'
import { build } from 'esbuild'
import { ROOT } from '../architecture/root.ts'

/** A change that needs more says why. */
const MOST_BYTES = 30_720

describe('portcullis-client in a bundle', () => {
  it(`has at most ${MOST_BYTES} bytes, and imports nothing`, async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: "export * from 'portcullis-client'", resolveDir: ROOT },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      metafile: true,
      write: false,
      logLevel: 'silent',
    })
    const [output, ...others] = Object.values(metafile.outputs)
    expect(others).to.deep.equal([])
    expect(output?.imports).to.deep.equal([])
    expect(output?.exports).to.have.members(['portcullis', 'PortcullisUnavailable', 'tokenVerifier'])
    expect(outputFiles[0]?.contents.length).to.be.within(1, MOST_BYTES)
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
    expect(inputs.filter((path) => !path.startsWith(join('dist', 'adapters', 'client')))).to.deep.equal([])
  })
})
