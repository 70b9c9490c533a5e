/**
 * Makes the program in `dist/` start fast, after `tsc -b`: node adapters/bundle/bundle.mjs
 *
 * Node takes about a millisecond for each file. So the program starts in half the CPU time if its modules and packages are in a few.
 */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** They load a binary or a dictionary beside them. pg looks for pg-native. */
const EXTERNAL_PACKAGES = [
  'better-sqlite3',
  'sodium-native',
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  '@zxcvbn-ts/language-en',
  'pg-native',
]

/**
 * Koa brings a table of all media types, twice, and raw-body tables of encodings: a sixth of the CPU time of a start, and 4 MB. The
 * service names its types and decodes UTF-8 itself. Responses that Koa writes itself have one of these types.
 */
const KOA_TYPES = {
  'text/plain': { extensions: ['text'] },
  'text/html': { extensions: ['html'] },
  'application/json': { extensions: ['json'] },
  'application/octet-stream': { extensions: ['bin'] },
}

const inJson = (value) => `data:application/json,${JSON.stringify(value)}`

const ALIAS = {
  // fp-ts and io-ts have each module twice. Each use of a function of a bundled CommonJS module calls a getter: 5 to 10 µs a request.
  'fp-ts/lib': 'fp-ts/es6',
  // The ES module imports node:http: see adapters/http/server/node-http.ts.
  '@koa/router': './node_modules/@koa/router/dist/index.js',
  'mime-db': inJson(KOA_TYPES),
  'iconv-lite': inJson({}),
}

/** With it, bundled CommonJS modules load those of Node. */
const REQUIRE =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url)"

for (const store of ['sqlite', 'postgres']) {
  const migrations = `adapters/stores/${store}/migrations`
  rmSync(`dist/${migrations}`, { recursive: true, force: true }) // one that is gone must not run
  cpSync(migrations, `dist/${migrations}`, { recursive: true })
}
chmodSync('dist/adapters/main.js', 0o755)

const FOLDER = 'dist/adapters/bundle'
for (const name of readdirSync(FOLDER).filter((name) => /^chunk-.*\.js$/.test(name)))
  rmSync(join(FOLDER, name))
const { metafile } = await build({
  entryPoints: {
    'bundled-program': `${FOLDER}/program.js`,
    'bundled-testing': `${FOLDER}/start-for-tests.js`,
  },
  outdir: FOLDER,
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  alias: ALIAS,
  external: EXTERNAL_PACKAGES,
  banner: { js: REQUIRE },
  logLevel: 'warning',
  metafile: true,
  allowOverwrite: true,
})

const PACKAGE_FOLDER = /.*node_modules\/(?:@[^/]+\/)?[^/]+/
const folders = new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE_FOLDER.exec(path) ?? []))
/** Some packages state their license in the readme only. */
const licenses = [...folders].map((folder) => {
  const names = readdirSync(folder)
  const name = names.find((name) => /^license/i.test(name)) ?? names.find((name) => /^readme/i.test(name))
  return readFileSync(join(folder, name), 'utf8')
})
writeFileSync(join(FOLDER, 'bundle.LICENSE'), licenses.join('\n'))
