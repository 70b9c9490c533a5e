import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

const DIST = join(ROOT, 'dist')
const IN_BUNDLE = /^bundle\/(?:chunk|bundled)-/

/** `npx tsc -b` compiles modules without bundling them again, so that the program would run what they were. */
export const renewBundle = (): void => {
  const bundledAt = changedAt('adapters/bundle/bundled-program.js')
  const isStale = ['domain', 'application', 'adapters']
    .flatMap((folder) =>
      readdirSync(join(DIST, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js') && !IN_BUNDLE.test(name))
        .map((name) => join(folder, name)),
    )
    .some((path) => changedAt(path) > bundledAt)
  if (isStale)
    execFileSync(process.execPath, ['adapters/bundle/bundle.mjs'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
}

const changedAt = (path: string): number => statSync(join(DIST, path)).mtimeMs
