import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Ended } from '../support/command.ts'
import { withoutStoreLine } from '../support/store-line.ts'
import type { ImageConfig } from './buildah.ts'

/** A container without an engine: the root of an image, read-only, and a folder as its volume. */
export type Container = Readonly<{ root: string; volume: string; config: ImageConfig }>

type Settings = Readonly<Record<string, string>>

/**
 * Mounts what `docker run --read-only --tmpfs /tmp --volume` mounts. Arguments: root, volume, path of the volume, and the
 * command line. It becomes process 1 of new namespaces. The network is that of the machine.
 */
const RUN = `
root=$1 volume=$2 path=$3
shift 3
mount --bind "$root" "$root"
mount --bind "$volume" "$root$path"
mount -o remount,bind,ro "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,nodev,noexec tmpfs "$root/tmp"
mount -t tmpfs -o nosuid,noexec,mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,ro "$root/dev"
exec chroot "$root" "$@"`

/** Enters the folder of the image as its user, without capabilities and with no other environment. */
const asImageSays = (config: ImageConfig, settings: Settings, words: ReadonlyArray<string>) => {
  const [uid, gid] = config.User.split(':')
  const variables = [...config.Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)]
  return [
    ...['/usr/bin/env', '-i', `--chdir=${config.WorkingDir}`, ...variables],
    ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--', ...words],
  ]
}

const start = ({ root, volume, config }: Container, settings: Settings, words: ReadonlyArray<string>) => {
  const [path = ''] = Object.keys(config.Volumes)
  const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
  const inside = asImageSays(config, settings, words)
  return spawn('unshare', [...namespaces, 'sh', '-ec', RUN, 'sh', root, volume, path, ...inside])
}

const ended = async (child: ChildProcess, input = ''): Promise<Ended> => {
  const output = { out: '', err: '' }
  for (const name of ['out', 'err'] as const)
    child[`std${name}`]?.on('data', (chunk) => {
      output[name] += chunk
    })
  child.stdin?.on('error', () => {}) // it may end without reading
  child.stdin?.end(input)
  const [status] = await once(child, 'close')
  return { status, out: output.out, err: withoutStoreLine(output.err) }
}

/** Runs a program in a container to its end. */
export const runIn = (container: Container, ...words: ReadonlyArray<string>): Promise<Ended> =>
  ended(start(container, {}, words))

/** The service in a running container. */
export type Serving = Readonly<{
  /** Runs a program in the container, like `docker exec`. */
  execute: (words: ReadonlyArray<string>, input?: string) => Promise<Ended>
  /** Sends the image’s STOPSIGNAL to process 1. */
  signal: () => void
  /** Resolves with the exit status. */
  gone: Promise<number | null>
  kill: () => void
}>

/** Starts the image’s ENTRYPOINT with its CMD, and waits until it listens. */
export const serveIn = async (container: Container, settings: Settings): Promise<Serving> => {
  const { config } = container
  const child = start(container, settings, [...config.Entrypoint, ...config.Cmd])
  const end = ended(child)
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('listens')) {
      // unshare waits for process 1, which is its only child.
      const pid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
      const enter = [`--target=${pid}`, '--mount', '--pid', '--ipc', '--uts', '--root', '--']
      return {
        execute: (words, input) =>
          ended(spawn('nsenter', [...enter, ...asImageSays(config, settings, words)]), input),
        signal: () => void process.kill(Number(pid), config.StopSignal),
        gone: end.then(({ status }) => status),
        kill: () => void child.kill('SIGKILL'),
      }
    }
  throw new Error(`it does not listen: ${(await end).err}`)
}
