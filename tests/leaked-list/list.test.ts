import { execFileSync } from 'node:child_process'
import { chmod, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { leakedList, listProblem } from '../../adapters/credentials/leaked-list/list.ts'
import type { LeakedPasswords } from '../../application/ports/password-strength.ts'
import { SEED } from '../domain/no-io.ts'
import { inFolder } from '../sqlite/folder.ts'
import { fail, succeed } from '../support/outcome.ts'
import { digestLines, sha1 } from './digest-lines.ts'

const opened = (path: string, minCodePoints = 8): LeakedPasswords => {
  const list = leakedList(path, { kind: 'nist', minCodePoints })
  if (isLeft(list)) throw new Error(list.left)
  return list.right
}

const numbered = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `leaked password ${index}`)

describe('a list of leaked passwords', () => {
  const REFUSED: ReadonlyArray<readonly [what: string, content: string | Uint8Array, sentence: string]> = [
    ['empty', '', 'it is empty'],
    ['nothing but line ends', '\r\n\n \n', 'it is empty'],
    ['not text', Uint8Array.of(0x70, 0, 0x61, 0), 'it is not text'],
    [
      'NTLM digests',
      `${'0123456789ABCDEF'.repeat(2)}:3\r\n`,
      'it contains digests, but not one SHA-1 digest per line (40 hexadecimal digits, optionally with :COUNT)',
    ],
    [
      'digests after a byte order mark',
      `\ufeff${digestLines(['a'])}`,
      'it contains digests, but not one SHA-1 digest per line (40 hexadecimal digits, optionally with :COUNT)',
    ],
    ...[
      `# leaked\n${digestLines(['a'])}`,
      `\n${digestLines(['a'])}`,
      `${sha1('a')}  -\n`,
      `${sha1('a')} 5\n`,
    ].map(
      (content) =>
        [
          `digests in another form: ${JSON.stringify(content.slice(0, 12))}…`,
          content,
          'it contains digests, but not one SHA-1 digest per line (40 hexadecimal digits, optionally with :COUNT)',
        ] as const,
    ),
    [
      'digests out of order',
      digestLines(numbered(5)).split('\n').reverse().slice(1).join('\n'),
      'its digests are not sorted: sort the list (LC_ALL=C sort)',
    ],
    [
      'digests sorted by count',
      numbered(5_000)
        .map((password, index) => `${sha1(password)}:${9_999 - index}\n`)
        .join(''),
      'its digests are not sorted: sort the list (LC_ALL=C sort)',
    ],
    [
      'digests followed by other text',
      `${digestLines(numbered(3))}password\n`,
      'a line near byte 84 is not a SHA-1 digest',
    ],
  ]
  for (const [what, content, sentence] of REFUSED) {
    it(
      `is refused if it is ${what}: ${sentence}`,
      inFolder(async (folder) => {
        const path = join(folder, 'leaked.txt')
        await writeFile(path, content)
        expect(leakedList(path, { kind: 'nist', minCodePoints: 8 })).to.deep.equal(left(sentence))
        expect(listProblem(path)).to.equal(sentence)
      }),
    )
  }

  it(
    'is refused if it is missing, a folder or a pipe',
    inFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      execFileSync('mkfifo', [join(folder, 'pipe')])
      expect(listProblem(join(folder, 'nothing'))).to.equal('the file it names cannot be read (ENOENT)')
      expect(listProblem(join(folder, 'folder'))).to.equal('it names no regular file')
      expect(listProblem(join(folder, 'pipe'))).to.equal('it names no regular file')
    }),
  )

  it(
    'of plain passwords may have at most 64 MiB',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      await writeFile(path, 'the first of many\n')
      await truncate(path, 64 * 2 ** 20)
      expect(listProblem(path)).to.equal('it is not text') // the rest of the file is NULs
      await writeFile(path, `the first of many\n${' '.repeat(5_000)}`)
      await truncate(path, 64 * 2 ** 20)
      expect(listProblem(path)).to.equal(undefined)
      await truncate(path, 64 * 2 ** 20 + 1)
      expect(listProblem(path)).to.equal(
        'a list of plain passwords may have 64 MiB at most; convert it to sorted SHA-1 digests',
      )
    }),
  )

  it(
    'of plain passwords may start with a byte order mark',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      await writeFile(path, '\ufeffthe first of many\nand another one')
      expect(await succeed(opened(path)('the first of many'))).to.equal(true)
      expect(await succeed(opened(path)('and another one'))).to.equal(true)
    }),
  )

  it(
    'of plain passwords ignores those below the minimum length',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      await writeFile(path, 'fourteen of it\nfifteen it has.\n💥💥💥💥💥💥💥💥💥💥💥💥💥💥💥\n')
      const leaked = opened(path, 15)
      expect(await succeed(leaked('fourteen of it'))).to.equal(false)
      expect(await succeed(leaked('fifteen it has.'))).to.equal(true)
      expect(await succeed(leaked('💥'.repeat(15)))).to.equal(true)
    }),
  )

  const WIDTHS: ReadonlyArray<readonly [how: string, behind: (index: number) => string, lineEnd: string]> = [
    ['without counts', () => '', '\n'],
    ['with counts of all lengths', (index) => `:${10 ** (index % 19)}`, '\n'],
    ['with counts and CRLF', (index) => `:${index}`, '\r\n'],
  ]
  for (const [how, behind, lineEnd] of WIDTHS) {
    it(
      `of 20000 digests ${how} contains each of them and nothing else`,
      inFolder(async (folder) => {
        const path = join(folder, 'leaked.txt')
        const digests = numbered(20_000).map(sha1).sort()
        await writeFile(path, digests.map((digest, index) => `${digest}${behind(index)}${lineEnd}`).join(''))
        const leaked = opened(path)
        const places = [0, 1, 2, 77, 9_999, 10_000, 19_997, 19_998, 19_999]
        const chosen = numbered(20_000).filter((password) => places.includes(digests.indexOf(sha1(password))))
        expect(chosen).to.have.lengthOf(places.length)
        for (const password of [...chosen, ...numbered(20_000).slice(0, 60)]) {
          expect(await succeed(leaked(password)), password).to.equal(true)
        }
        for (let index = 20_000; index < 20_060; index += 1) {
          expect(await succeed(leaked(`leaked password ${index}`)), String(index)).to.equal(false)
        }
      }),
    )
  }

  it(
    'contains exactly its digests for any size, counts and final line end',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      const count = fc.option(fc.nat({ max: 10 ** 9 }), { nil: undefined })
      const list = fc.array(fc.tuple(fc.nat({ max: 400 }), count), { minLength: 1, maxLength: 400 })
      await fc.assert(
        fc.asyncProperty(
          list,
          fc.constantFrom('\n', '\r\n'),
          fc.boolean(),
          async (drawn, lineEnd, isEnded) => {
            const lines = drawn.map(
              ([number, times]) => `${sha1(`${number}`)}${times === undefined ? '' : `:${times}`}`,
            )
            await writeFile(path, lines.sort().join(lineEnd) + (isEnded ? lineEnd : ''))
            const leaked = opened(path)
            const listed = new Set(drawn.map(([number]) => number))
            for (const number of [...drawn.slice(0, 20).map(([each]) => each), 0, 1, 200, 399, 400]) {
              expect(await succeed(leaked(`${number}`)), `${number}`).to.equal(listed.has(number))
            }
          },
        ),
        { seed: SEED, numRuns: 60 },
      )
    }),
  )

  it(
    'of digests may be replaced, and causes an error while it is missing or damaged',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      await writeFile(path, digestLines(['the old one']))
      const leaked = opened(path)
      expect(await leaked('the old one')()).to.deep.equal(right(true))
      await writeFile(path, digestLines(['the new one']))
      expect(await leaked('the old one')()).to.deep.equal(right(false))
      expect(await leaked('the new one')()).to.deep.equal(right(true))

      const spoilt = 'the list of leaked passwords cannot be read: it is not a sorted list of SHA-1 digests'
      for (const content of [
        '',
        'password\n',
        'password\n'.repeat(1_000),
        'x'.repeat(9_999),
        '\n'.repeat(9_999),
      ]) {
        await writeFile(path, content)
        expect(await fail(leaked('the new one'))).to.deep.equal({
          _tag: 'PasswordCheckUnavailable',
          reason: spoilt,
        })
      }
      await rm(path)
      const away = 'the list of leaked passwords cannot be read: ENOENT'
      expect(await fail(leaked('the new one'))).to.deep.equal({
        _tag: 'PasswordCheckUnavailable',
        reason: away,
      })
    }),
  )

  it(
    'is refused if it is unreadable',
    inFolder(async (folder) => {
      const path = join(folder, 'leaked.txt')
      await writeFile(path, digestLines(['a']))
      await chmod(path, 0)
      // Root can read every file.
      const sentence = process.getuid?.() === 0 ? undefined : 'the file it names cannot be read (EACCES)'
      expect(listProblem(path)).to.equal(sentence)
    }),
  )
})
