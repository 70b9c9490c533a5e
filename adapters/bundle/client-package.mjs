/**
 * Makes the package `portcullis-client` of `dist/adapters/client`, before `tsc -b`: node adapters/bundle/client-package.mjs
 *
 * The client imports nothing, so a program that only calls the service needs no package of the service.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDER = join('dist', 'adapters', 'client')
const { version, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const MANIFEST = {
  name: 'portcullis-client',
  version,
  description:
    'Calls the authentication service Portcullis from Node.js, Deno or Bun. It has no dependencies.',
  license,
  keywords: ['authentication', 'sign-in', 'tokens', 'portcullis'],
  type: 'module',
  sideEffects: false,
  engines,
  exports: {
    '.': { types: './client.d.ts', default: './client.js' },
    './package.json': './package.json',
  },
  files: ['*.js', '*.d.ts'],
}

mkdirSync(FOLDER, { recursive: true })
writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`)
copyFileSync('adapters/client/README.md', join(FOLDER, 'README.md'))
copyFileSync('LICENSE', join(FOLDER, 'LICENSE'))

// Tests and examples import it by its name, like the programs of others. `npm ci` removes this link.
const link = join('node_modules', MANIFEST.name)
rmSync(link, { force: true })
symlinkSync(relative('node_modules', FOLDER), link, 'junction')
