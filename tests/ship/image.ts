import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../architecture/root.ts'
import { startRegistry } from '../package/registry.ts'
import { isSent } from './context.ts'
import { all, DOCKERFILE, environmentOf, type Instruction, last, type Stage, stagesOf } from './dockerfile.ts'

/** What the Dockerfile makes, in a folder instead of in an image. */
export type Image = Readonly<{
  /** The last stage, with what the image says of how it is run. */
  stage: Stage
  /** Where a path of the image lies on this machine. */
  at: (path: string) => string
  remove: () => void
}>

/**
 * Does what the Dockerfile says, one instruction after the other, in a folder for each stage, by this machine's shell and Node instead of
 * those of the images it names. Packages come from a registry on this machine, which has what is installed here, compiled as it is:
 * so neither are their digests compared nor is anything compiled.
 */
export const makeImage = async (): Promise<Image> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-image-'))
  chmodSync(folder, 0o755) // whoever runs the image comes through here
  const registry = await startRegistry()
  const rootOf = (stage: Stage) => join(folder, stage.name ?? 'image')
  const stages = stagesOf(DOCKERFILE)
  try {
    for (const stage of stages) {
      let workdir = '/'
      mkdirSync(rootOf(stage))
      for (const instruction of stage.instructions) {
        const place = join(rootOf(stage), workdir)
        if (instruction.keyword === 'WORKDIR') {
          workdir = instruction.text
          mkdirSync(join(rootOf(stage), workdir), { recursive: true })
        }
        if (instruction.keyword === 'COPY') {
          const from = stages.find(({ name }) => name !== undefined && name === instruction.flags.from)
          copy(instruction, from === undefined ? ROOT : rootOf(from), place)
        }
        if (instruction.keyword === 'RUN') await run(instruction, stage, place, registry.url)
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  } finally {
    await registry.stop()
  }
  const stage = stages.at(-1)
  if (stage === undefined) throw new Error('the Dockerfile has no stage')
  return {
    stage,
    at: (path) => join(rootOf(stage), path),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A file goes into a folder or in the place of another one; of a folder all that is in it goes. */
const copy = ({ words }: Instruction, from: string, place: string): void => {
  const target = words.at(-1) ?? ''
  for (const source of words.slice(0, -1)) {
    const to = target.endsWith('/') ? join(place, target, basename(source)) : join(place, target)
    cpSync(join(from, source), to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => from !== ROOT || isSent(relative(ROOT, path)),
    })
    if (source === 'package-lock.json') forgetDigests(to)
  }
}

/** What the registry of the tests packs is not packed as it was when the lock file was written. */
const forgetDigests = (lock: string): void => {
  const without = (key: string, value: unknown) => (key === 'integrity' ? undefined : value)
  writeFileSync(lock, JSON.stringify(JSON.parse(readFileSync(lock, 'utf8')), without))
}

const run = async ({ text }: Instruction, stage: Stage, cwd: string, registry: string): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), 'portcullis-home-'))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home, // no setting of whoever runs the tests counts
    ...environmentOf(stage),
    npm_config_cache: join(home, 'cache'),
    npm_config_registry: registry,
    npm_config_ignore_scripts: 'true', // the registry has what they make
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
  try {
    await promisify(execFile)('sh', ['-c', asOneself(text)], { cwd, env })
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Only root can give a folder to somebody else. */
const asOneself = (commands: string): string =>
  process.getuid?.() === 0
    ? commands
    : commands.replaceAll(/ -o \d+ -g \d+ /g, ` -o ${process.getuid?.()} -g ${process.getgid?.()} `)

/** The command line of the image with these words in the place of CMD, and where its files lie on this machine. */
export const commandLineOf = ({ stage, at }: Image, words?: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(last(stage, 'ENTRYPOINT')?.words ?? []).map((word) => (word.startsWith('/') ? at(word) : word)),
  ...(words ?? last(stage, 'CMD')?.words ?? []),
]

export const workdirOf = ({ stage, at }: Image): string => at(last(stage, 'WORKDIR')?.text ?? '/')

/** The folders that the image leaves to volumes. */
export const volumesOf = ({ stage, at }: Image): ReadonlyArray<string> =>
  all(stage, 'VOLUME').flatMap(({ words }) => words.map(at))
