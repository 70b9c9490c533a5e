import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { getOrElse } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { originOf } from '../../domain/checkpoint.ts'
import { leafHash } from '../../domain/merkle-tree.ts'
import { entriesOf, entryBundle } from '../../domain/tile.ts'
import { treeDigests } from '../support/integration.ts'
import { exportLines, KEY, linesFrom, ORIGIN, OTHER_KEY, verifierKeyOf, verifyByUs } from './exported-log.ts'
import { describeWithGo, type Verified } from './go-verifier.ts'

describeWithGo('an exported log, verified by Go', (verifier) => {
  const root = mkdtempSync(join(tmpdir(), 'portcullis-history-'))
  after(() => rmSync(root, { recursive: true }))
  let folders = 0
  const newFolder = (): string => {
    folders += 1
    const folder = join(root, String(folders))
    mkdirSync(folder)
    return folder
  }
  const keep = (note: string): string => {
    const file = join(newFolder(), 'checkpoint')
    writeFileSync(file, note)
    return file
  }
  const vkey = verifierKeyOf(KEY)

  /** What both verifiers say. */
  const verify = async (folder: string, kept: ReadonlyArray<string> = [], key = vkey) => {
    const ours = await verifyByUs(
      folder,
      key,
      kept.map((file) => readFileSync(file, 'utf8')),
    )
    return { ...(await verifier(folder, key, ...kept)), ours: isRight(ours) }
  }
  const accepted = (note: string): Verified & { ours: boolean } => {
    const [, size, hash] = note.split('\n')
    return { status: 0, out: `ok ${size} ${hash}\n`, err: '', ours: true }
  }

  describe('is accepted', () => {
    for (const size of [0, 1, 2, 3, 255, 256, 257, 700, 1_000]) {
      it(`with ${size} entries`, async () => {
        const folder = newFolder()
        const note = await exportLines(folder, { size })
        expect(note.split('\n')[1]).to.equal(String(size))
        expect(await verify(folder)).to.deep.equal(accepted(note))
      })
    }

    it('after each export into the same folder, with every older checkpoint, up to three levels of tiles', async function () {
      this.timeout(120_000)
      const folder = newFolder()
      const kept: Array<string> = []
      for (const size of [0, 1, 2, 255, 256, 257, 700, 1_000, 65_535, 65_536, 65_537, 70_000]) {
        const note = await exportLines(folder, { size })
        expect(await verify(folder, kept), `${size} entries`).to.deep.equal(accepted(note))
        kept.push(keep(note))
      }
    })

    it('with an empty entry and one of the maximum length', async () => {
      const folder = newFolder()
      const lines = (position: number) => new Uint8Array(position === 2 ? 0 : 65_535).fill(position)
      const note = await exportLines(folder, { size: 3, lines })
      expect(await verify(folder)).to.deep.equal(accepted(note))
    })

    it('without partial tiles that full ones have replaced', async () => {
      const folder = newFolder()
      const note = await exportLines(folder, { size: 300 })
      const larger = newFolder()
      await exportLines(larger, { size: 600 })
      for (const level of ['0', 'entries']) {
        const partial = join(folder, 'tile', level, '001.p')
        rmSync(partial, { recursive: true })
        cpSync(join(larger, 'tile', level, '001'), join(folder, 'tile', level, '001'))
      }
      expect(await verify(folder)).to.deep.equal(accepted(note))
    })

    it('by either key while both sign', async () => {
      const folder = newFolder()
      const note = await exportLines(folder, { size: 5, keys: [KEY, OTHER_KEY] })
      for (const key of [KEY, OTHER_KEY])
        expect(await verify(folder, [], verifierKeyOf(key))).to.deep.equal(accepted(note))
    })
  })

  describe('is refused', () => {
    const SIZE = 700
    let original: string
    before(async () => {
      original = newFolder()
      await exportLines(original, { size: SIZE })
    })

    const copy = (): string => {
      const folder = newFolder()
      cpSync(original, folder, { recursive: true })
      return folder
    }
    const change = (folder: string, path: string, to: (bytes: Buffer) => Uint8Array): void => {
      const file = join(folder, path)
      writeFileSync(file, to(readFileSync(file)))
    }
    const flipped = (at: number) => (bytes: Buffer) => {
      bytes[at] = (bytes[at] ?? 0) ^ 1
      return bytes
    }
    const refused = async (
      pattern: RegExp,
      folder: string,
      { kept = [], key = vkey }: { kept?: ReadonlyArray<string>; key?: string } = {},
    ): Promise<void> => {
      const { status, out, err, ours } = await verify(folder, kept, key)
      expect(err).to.match(pattern)
      expect({ status, out, ours }).to.deep.equal({ status: 1, out: '', ours: false })
    }
    /** Changes one byte of the text in entry 300. */
    const changedBundle = (bundle: Buffer): Uint8Array =>
      entryBundle(
        (entriesOf(bundle) ?? []).map((entry, n) => (n === 43 ? flipped(12)(Buffer.from(entry)) : entry)),
      )

    it('with one changed byte in an entry', async () => {
      const folder = copy()
      change(folder, 'tile/entries/001', changedBundle)
      await refused(/^the entries have another root than the checkpoint\n$/, folder)
    })

    it('with one changed byte in an entry, and its hash in the tile', async () => {
      const folder = copy()
      change(folder, 'tile/entries/001', changedBundle)
      const entries = entriesOf(readFileSync(join(folder, 'tile/entries/001'))) ?? []
      change(folder, 'tile/0/001', () =>
        Buffer.concat(entries.map((one) => leafHash(treeDigests.sha256, one))),
      )
      await refused(/^the entries have another root than the checkpoint\n$/, folder)
    })

    for (const path of ['tile/0/000', 'tile/0/001', 'tile/0/002.p/188', 'tile/1/000.p/2'])
      it(`with one changed byte in ${path}`, async () => {
        const folder = copy()
        change(folder, path, flipped(33))
        await refused(/^tile\/\S+ does not contain the hashes of its entries\n$/, folder)
      })

    for (const [what, to] of Object.entries<(bytes: Buffer) => Uint8Array>({
      'shorter by a byte': (bytes) => bytes.subarray(0, -1),
      'shorter by an entry': (bytes) => entryBundle((entriesOf(bytes) ?? []).slice(0, -1)),
      empty: () => Buffer.of(),
    }))
      for (const path of ['tile/entries/000', 'tile/entries/002.p/188'])
        it(`with ${path} ${what}`, async () => {
          const folder = copy()
          change(folder, path, to)
          await refused(/^tile\/entries\/00\S+ does not contain (?:256|188) entries\n$/, folder)
        })

    for (const path of ['tile/0/000', 'tile/0/002.p/188', 'tile/entries/001', 'tile/1/000.p/2', 'checkpoint'])
      it(`without ${path}`, async () => {
        const folder = copy()
        renameSync(join(folder, path), join(folder, 'elsewhere'))
        await refused(/no such file|does not contain/, folder)
      })

    it('with two entries swapped', async () => {
      const folder = copy()
      const swapped = (bundle: Buffer) => {
        const [first, second, ...rest] = entriesOf(bundle) ?? []
        return entryBundle([second, first, ...rest].filter((entry) => entry !== undefined))
      }
      change(folder, 'tile/entries/000', swapped)
      await refused(/^the entries have another root than the checkpoint\n$/, folder)
    })

    it('with a checkpoint that another key has signed', async () => {
      const folder = newFolder()
      await exportLines(folder, { size: SIZE, keys: [OTHER_KEY] })
      await refused(/note has no verifiable signatures\n$/, folder)
    })

    it('with a checkpoint whose size was changed after the signature', async () => {
      const folder = copy()
      change(folder, 'checkpoint', (note) => Buffer.from(note.toString().replace('\n700\n', '\n699\n')))
      await refused(
        /invalid signature for key auth\.example\.com\/api\/v1\/log\/a1b2c3d4\+[0-9a-f]{8}\n$/,
        folder,
      )
    })

    it('with a checkpoint of another origin than the name of its key', async () => {
      const folder = copy()
      const text = readFileSync(join(folder, 'checkpoint'), 'utf8').split('\n\n')[0] ?? ''
      const note = await ed25519Notes([KEY]).sign(`${text.replace('a1b2c3d4', '00000000')}\n`, ORIGIN)
      writeFileSync(join(folder, 'checkpoint'), getOrElse(() => '')(note))
      await refused(/ is not a checkpoint of auth\.example\.com\/api\/v1\/log\/a1b2c3d4\n$/, folder)
    })

    it('with a verifier key of another name', async () => {
      const other = originOf('https://auth.example.com', '00000000')
      await refused(/note has no verifiable signatures\n$/, original, { key: verifierKeyOf(KEY, other) })
    })

    it('with a verifier key whose name was replaced', async () => {
      const key = vkey.replace('a1b2c3d4', '00000000')
      await refused(/^the verifier key: invalid verifier hash\n$/, original, { key })
    })
  })

  describe('whose history was rewritten and signed again', () => {
    const FORK = 500
    let forked: string
    let keptAt: (size: number) => Promise<string>
    let fork: string
    before(async () => {
      keptAt = async (size) => keep(await exportLines(newFolder(), { size }))
      forked = newFolder()
      fork = await exportLines(forked, { size: 700, lines: linesFrom(FORK) })
    })

    it('is accepted without a checkpoint from before', async () => {
      expect(await verify(forked)).to.deep.equal(accepted(fork))
    })

    for (const size of [1, 256, FORK - 1])
      it(`is accepted with the checkpoint of ${size} entries, all before the change`, async () => {
        expect(await verify(forked, [await keptAt(size)])).to.deep.equal(accepted(fork))
      })

    for (const size of [FORK, 512, 600, 700])
      it(`is refused with the checkpoint of ${size} entries`, async () => {
        const kept = await keptAt(size)
        const { status, out, err, ours } = await verify(forked, [await keptAt(1), kept])
        expect({ status, out, ours }).to.deep.equal({ status: 1, out: '', ours: false })
        expect(err).to.equal(`the log does not continue ${kept}: invalid transparency proof\n`)
      })

    it('is refused when it is shorter than before', async () => {
      const folder = newFolder()
      await exportLines(folder, { size: 600 })
      const kept = await keptAt(700)
      const { status, out, err, ours } = await verify(folder, [kept])
      expect({ status, out, ours }).to.deep.equal({ status: 1, out: '', ours: false })
      expect(err).to.equal(`${kept} covers 700 entries, and the log has 600\n`)
    })

    for (const [whose, key, origin] of [
      ['another key', OTHER_KEY, ORIGIN],
      ['the key of another log', KEY, originOf('https://auth.example.com', '00000000')],
    ] as const)
      it(`is not compared with a checkpoint that ${whose} has signed`, async () => {
        const text = (await exportLines(newFolder(), { size: 1 })).split('\n\n')[0] ?? ''
        const note = await ed25519Notes([key]).sign(`${text}\n`, origin)
        const { status, err, ours } = await verify(forked, [keep(getOrElse(() => '')(note))])
        expect({ status, ours }).to.deep.equal({ status: 1, ours: false })
        expect(err).to.match(/note has no verifiable signatures\n$/)
      })

    it('is refused with a kept checkpoint that was changed', async () => {
      const kept = await keptAt(1)
      appendFileSync(kept, '\n')
      const { status, ours } = await verify(forked, [kept])
      expect({ status, ours }).to.deep.equal({ status: 1, ours: false })
    })
  })
})
