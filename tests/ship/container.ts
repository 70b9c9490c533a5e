import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Ended } from '../support/command.ts'
import { CHEAP } from '../support/settings.ts'
import { environmentOf, healthCommandOf, last } from './dockerfile.ts'
import { commandLineOf, type Image, volumesOf, workdirOf } from './image.ts'

/** Every file system that can be is read-only then, but for the volumes. */
const READ_ONLY = `
  volumes=$1
  shift
  for volume in $volumes; do mount --bind "$volume" "$volume"; done
  awk '{ print $5 }' /proc/self/mountinfo | while read -r place; do
    case " $volumes " in *" $place "*) ;; *) mount -o remount,bind,ro "$place" 2> /dev/null || true ;; esac
  done
  exec "$@"`

/** The user that the image names, without any way to be another one. */
const userWords = ({ stage }: Image): ReadonlyArray<string> => {
  const [uid = '', gid = ''] = (last(stage, 'USER')?.text ?? '').split(':')
  return [
    ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--'],
  ]
}

const NAMESPACES = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

const works = ([program = '', ...words]: ReadonlyArray<string>): boolean =>
  spawnSync(program, [...words, 'true']).status === 0

const CAN_BE_OTHERS = process.getuid?.() === 0 && works(['setpriv', '--no-new-privs'])

/** Whether processes are shut in here, or only run as the user of the image, or just run. */
export const IS_CONFINED = CAN_BE_OTHERS && works(NAMESPACES)

/** As much of a container as there can be on this machine without anything that makes containers. */
export const AS = IS_CONFINED
  ? 'as its user, as process 1, with nothing to write to but its volume'
  : CAN_BE_OTHERS
    ? 'as its user, and with nothing else of a container'
    : 'with nothing of a container'

/** What stands before the command line of a process of the image. */
const around = (image: Image): ReadonlyArray<string> => [
  ...(IS_CONFINED ? [...NAMESPACES, 'sh', '-ec', READ_ONLY, 'sh', volumesOf(image).join(' ')] : []),
  ...(CAN_BE_OTHERS ? userWords(image) : []),
]

const start = (
  image: Image,
  commandLine: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>,
): ChildProcess => {
  const [program = '', ...words] = [...around(image), ...commandLine]
  return spawn(program, words, {
    cwd: workdirOf(image),
    env: {
      PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      ...CHEAP,
      ...environmentOf(image.stage),
      ...settings,
    },
  })
}

const ended = async (child: ChildProcess, input = ''): Promise<Ended> => {
  const output = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.err += chunk
  })
  child.stdin?.end(input)
  const [status] = await once(child, 'close')
  return { status, ...output }
}

/** A command instead of the service, as `docker run IMAGE WORDS` would run it. */
export const runWords = (
  image: Image,
  words: string,
  settings: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Ended> => ended(start(image, commandLineOf(image, words.split(' ')), settings), input)

/** Another program in the place of the image's own. */
export const runOther = (image: Image, ...commandLine: ReadonlyArray<string>): Promise<Ended> =>
  ended(start(image, commandLine, {}))

/** Whether HEALTHCHECK finds it well. */
export const isHealthy = async (image: Image, settings: Readonly<Record<string, string>>): Promise<boolean> =>
  (await ended(start(image, healthCommandOf(image.stage), settings))).status === 0

/** Starts what the image starts by itself, and waits until it says that it listens. */
export const serve = async (image: Image, settings: Readonly<Record<string, string>>) => {
  const child = start(image, commandLineOf(image), settings)
  const end = ended(child)
  const listens = (async () => {
    for await (const line of createInterface({ input: child.stdout ?? process.stdin }))
      if (line.includes('listens')) return true
    return false
  })()
  if (!(await listens)) throw new Error(`it does not listen: ${(await end).err}`)
  return {
    /** As whoever runs containers does, by the signal that the image names. */
    stop: async (): Promise<number | null> => {
      process.kill(innerOf(child), last(image.stage, 'STOPSIGNAL')?.text ?? 'SIGKILL')
      return (await end).status
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** Where it has a namespace of its own, the process in it is the child of the one that was started. */
const innerOf = ({ pid = 0 }: ChildProcess): number =>
  IS_CONFINED ? Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()) : pid
