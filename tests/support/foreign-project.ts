import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../architecture/root.ts'
import { CLIENT } from '../package/packed.ts'

/** A folder of another project, which finds the built packages by their names. */
export type ForeignProject = Readonly<{
  folder: string
  write: (name: string, text: string) => void
  /** Compiles every file, also JavaScript, and returns what the compiler says about each. */
  compile: () => Promise<ReadonlyArray<string>>
  /** Runs a program, and returns what it prints. */
  run: (name: string, environment: Readonly<Record<string, string>>) => Promise<string>
  remove: () => void
}>

const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  types: ['node'],
  allowJs: true,
  checkJs: true,
  strict: true,
  noImplicitAny: false, // JavaScript names no types
  noEmit: true,
}

export const foreignProject = (): ForeignProject => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-project-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules', 'portcullis'))
  symlinkSync(CLIENT, join(folder, 'node_modules', 'portcullis-client'))
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.mjs', '*.mts', '*.ts'] }),
  )
  return {
    folder,
    write,
    compile: async () => {
      const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
      const { stdout } = await promisify(execFile)(process.execPath, [tsc], { cwd: folder }).catch(
        (failed: { stdout: string }) => failed,
      )
      return stdout.split(/\n(?!\s)/).filter((one) => one !== '')
    },
    run: async (name, environment) => {
      const env = { PATH: process.env.PATH, ...environment }
      return (await promisify(execFile)(process.execPath, [name], { cwd: folder, env })).stdout
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
