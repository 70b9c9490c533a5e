import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../architecture/root.ts'
import type { Ended } from '../support/command.ts'
import { linkedCopy } from '../support/linked-copy.ts'
import { CHEAP } from '../support/settings.ts'
import { withoutStoreLine } from '../support/store-line.ts'
import { all, DOCKERFILE, environmentOf, healthCommandOf, last, type Stage, stagesOf } from './dockerfile.ts'

const [build, image] = stagesOf(DOCKERFILE) as [Stage, Stage]

/** The final stage, which defines how the image runs. */
export const IMAGE = image

/**
 * Runs the Dockerfile’s COPY and RUN in a folder of this machine, with its shell, make, npm and Node, and with the
 * packages installed here.
 *
 * @returns the folder that stands for the image’s WORKDIR
 */
export const builtHere = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-image-'))
  chmodSync(folder, 0o755) // the user of the image must traverse it
  const place = join(folder, last(build, 'WORKDIR')?.text ?? '')
  const workdir = join(folder, 'image')
  for (const made of [place, workdir]) mkdirSync(made)

  const installed = 'node_modules/.package-lock.json'
  linkedCopy(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  rmSync(join(place, 'node_modules/portcullis-client')) // a build of the service alone does not make this link
  copy(build, ROOT, place)
  rmSync(join(place, installed)) // npm writes it again
  cpSync(join(ROOT, installed), join(place, installed)) // newer than package.json, so that make installs nothing
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder, // ignores the settings of the user who runs the tests
    npm_config_offline: 'true',
    npm_config_ignore_scripts: 'true',
    npm_config_update_notifier: 'false',
  }
  for (const { text } of all(build, 'RUN'))
    execFileSync('sh', ['-c', text], { cwd: place, env, stdio: 'pipe' })

  copy(image, folder, workdir)
  for (const { text } of all(image, 'RUN'))
    execFileSync('sh', ['-c', CAN_BE_OTHERS ? text : asOneself(text)], { cwd: workdir, env, stdio: 'pipe' })
  return { workdir, remove: () => rmSync(folder, { recursive: true }) }
}

/** The paths of COPY in this stage: those of the build stage relative to `built`, all others to this project. */
const copy = (stage: Stage, built: string, place: string): void => {
  for (const { words, flags } of all(stage, 'COPY')) {
    const target = words.at(-1) ?? ''
    for (const source of words.slice(0, -1)) {
      const to = target.endsWith('/') ? join(place, target, basename(source)) : join(place, target)
      const from = flags.from === undefined ? ROOT : built
      cpSync(join(from, source), to, { recursive: true, verbatimSymlinks: true })
    }
  }
}

const userWords = (): ReadonlyArray<string> => {
  const [uid, gid] = (last(image, 'USER')?.text ?? '').split(':')
  return [
    ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--'],
  ]
}

/** Whether processes can run as the user of the image, which requires root. */
export const CAN_BE_OTHERS =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--no-new-privs', 'true']).status === 0

const asOneself = (commands: string): string =>
  commands.replaceAll(/ -o \d+ -g \d+ /g, ` -o ${process.getuid?.()} -g ${process.getgid?.()} `)

type Settings = Readonly<Record<string, string>>

const start = (workdir: string, commandLine: ReadonlyArray<string>, settings: Settings): ChildProcess => {
  const [program = '', ...words] = [...(CAN_BE_OTHERS ? userWords() : []), ...commandLine]
  const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  return spawn(program, words, {
    cwd: workdir,
    env: { PATH, ...CHEAP, ...environmentOf(image), ...settings },
  })
}

const ended = async (child: ChildProcess, input = ''): Promise<Ended> => {
  const output = { out: '', err: '' }
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err'],
  ] as const)
    stream?.on('data', (chunk) => {
      output[name] += chunk
    })
  child.stdin?.end(input)
  const [status] = await once(child, 'close')
  return { status, out: output.out, err: withoutStoreLine(output.err) }
}

/** ENTRYPOINT with these arguments. */
const entrypoint = (workdir: string, words: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(last(image, 'ENTRYPOINT')?.words ?? []).map((word) =>
    word.replace(last(image, 'WORKDIR')?.text ?? '', workdir),
  ),
  ...words,
]

/** Runs a command in place of CMD. */
export const runWords = (
  workdir: string,
  words: string,
  settings: Settings = {},
  input = '',
): Promise<Ended> => ended(start(workdir, entrypoint(workdir, words.split(' ')), settings), input)

/** Runs another program in place of ENTRYPOINT. */
export const runOther = (workdir: string, ...commandLine: ReadonlyArray<string>): Promise<Ended> =>
  ended(start(workdir, commandLine, {}))

/** Whether HEALTHCHECK succeeds. */
export const isHealthy = async (workdir: string, settings: Settings): Promise<boolean> =>
  (await ended(start(workdir, healthCommandOf(image), settings))).status === 0

/** Starts ENTRYPOINT with CMD and waits until it listens. `stop` sends STOPSIGNAL. */
export const serve = async (workdir: string, settings: Settings) => {
  const child = start(workdir, entrypoint(workdir, last(image, 'CMD')?.words ?? []), settings)
  const end = ended(child)
  for await (const line of createInterface({ input: child.stdout ?? process.stdin }))
    if (line.includes('listens')) {
      const signal = (last(image, 'STOPSIGNAL')?.text ?? 'SIGKILL') as NodeJS.Signals
      return async (): Promise<number | null> => {
        child.kill(signal)
        return (await end).status
      }
    }
  throw new Error(`it does not listen: ${(await end).err}`)
}
