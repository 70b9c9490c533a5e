import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pagesBelow } from './markdown.ts'

/** All files below a folder. */
const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })

/** What tells a person what to run: the pages, the files that they install, and the messages of the program. */
const PAGES = pagesBelow('.')
const TEXTS = [
  ...PAGES,
  ...['.env.example', 'compose.yaml', 'Dockerfile', 'package.json'],
  ...['deploy', 'adapters', 'application', 'domain'].flatMap(filesBelow),
]

/** Commands that run a package of the registry if none of this name is installed. The word alone may be explained. */
const FETCHES =
  /\b(?:(?:npx|bunx|(?:npm|pnpm) (?:exec|x|dlx)|yarn dlx)[ \t]+[\w@$"'-]|(?:npm|yarn) (?:create|init)[ \t]+[\w@$"'])[^`\n]*/g

const fetchesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(FETCHES)].map(([found]) => found)

/** The lines of the blocks of code that a person types. */
const typedIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^ *```(?:sh|console)\n([\s\S]*?)^ *```/gm)].flatMap(([, code = '']) => code.split('\n'))

const isPortcullis = (line: string): boolean =>
  /^\s*(?:\$ )?(?:.*\| )?(?:[A-Z_]+=\S+ )*portcullis /.test(line)

describe('a documented command', () => {
  it('is looked for in all pages, packaged files and messages', () => {
    expect(TEXTS).to.include.members([
      'README.md',
      'docs/cli.md',
      'deploy/systemd/command.sh',
      'adapters/cli/serve.ts',
    ])
    expect(typedIn(readFileSync('docs/cli.md', 'utf8')).filter(isPortcullis).length).to.be.above(10)
  })

  for (const path of TEXTS)
    it(`asks no registry for a program: ${path}`, () => {
      expect(fetchesIn(readFileSync(path, 'utf8'))).to.deep.equal([])
    })

  for (const path of PAGES) {
    const page = readFileSync(path, 'utf8')
    if (typedIn(page).some(isPortcullis) && path !== 'docs/cli.md')
      it(`named portcullis is explained by a link: ${path}`, () => {
        expect(page).to.match(/\]\((?:docs\/)?cli\.md#how-to-run-it\)/)
      })
  }
})
