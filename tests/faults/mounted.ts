import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { By } from '../support/command.ts'
import { NAMESPACE } from './machine.ts'
import { within } from './until.ts'

/** A small private disk that only processes started by it can see. */
export type Disk = Readonly<{
  by: By
  /** Fills it to the last byte, or to these last bytes. */
  fill: (left?: number) => void
  free: () => void
  /** Makes it read-only for all users, which fails while a file is open for writing. */
  makeReadOnly: () => void
  /**
   * Makes system calls of a running process on one of its files fail from now on, like a broken disk.
   *
   * @returns the repair
   */
  breakCalls: (pid: number, file: string, calls: string, error: string) => Promise<() => Promise<void>>
  unmount: () => Promise<void>
}>

/** Mounts it in a namespace that lasts until it is unmounted or this process ends. */
export const mountDisk = async (folder: string, mebibytes: number): Promise<Disk> => {
  const mount = 'mount -t tmpfs -o "size=$1m,mode=700" tmpfs "$0" && echo mounted && read _'
  const holder = spawn('unshare', [...NAMESPACE, 'sh', '-c', mount, folder, String(mebibytes)])
  const gone = once(holder, 'close')
  await within('the disk is mounted', said(holder, 'stdout', 'mounted'))

  const enter = NAMESPACE.includes('--user') ? ['-U', '--preserve-credentials', '-m'] : ['-m']
  const by = (commandLine: ReadonlyArray<string>, workingFolder: string): ReadonlyArray<string> => [
    ...['nsenter', '-t', String(holder.pid), ...enter],
    ...['sh', '-c', 'cd "$0" && exec "$@"', workingFolder, ...commandLine],
  ]
  const run = (...commandLine: ReadonlyArray<string>): void => {
    const [program = '', ...words] = by(commandLine, folder)
    execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  return {
    by,
    fill: (left = 0) => {
      run('sh', '-c', 'dd if=/dev/zero of=filler bs=4096 2>/dev/null || df . | grep -q "100%"')
      run('truncate', '-s', `-${left}`, 'filler')
    },
    free: () => run('rm', 'filler'),
    // Only the mount: a user namespace may not change more of a foreign file system.
    makeReadOnly: () => run('mount', '-o', 'remount,bind,ro', folder),
    breakCalls: async (pid, file, calls, error) => {
      const inject = [
        '-e',
        `trace=${calls}`,
        '-e',
        `inject=${calls}:error=${error}`,
        '-P',
        join(folder, file),
      ]
      const [program = '', ...words] = by(
        ['strace', '-f', '-p', String(pid), '-o', '/dev/null', ...inject],
        folder,
      )
      const strace = spawn(program, words)
      const gone = once(strace, 'close') // it may end first, together with the process
      await within('strace is attached', said(strace, 'stderr', 'attached'))
      return async () => {
        // The kernel detaches it then. After SIGINT, strace detaches thread by thread, and waits for ever if the process ends meanwhile.
        strace.kill('SIGKILL')
        await within('strace is detached', gone)
      }
    },
    unmount: async () => {
      holder.stdin.end('\n')
      await within('the disk is unmounted', gone)
    },
  }
}

/** Resolves once a process has printed the word. The output continues to be read. */
const said = (child: ChildProcess, where: 'stdout' | 'stderr', word: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let all = ''
    child[where]?.on('data', (chunk) => {
      all += chunk
      if (all.includes(word)) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`it ended without saying ${word}: ${all}`)))
  })
