import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { output } from './program.ts'

/** buildah with images of its own, in a temporary folder. */
export type Buildah = Readonly<{
  /** Runs one of its commands and returns what it printed. */
  run: (...words: ReadonlyArray<string>) => Promise<string>
  /** A place for other files, which is removed too. */
  folder: string
  remove: () => Promise<void>
}>

export const startBuildah = (): Buildah => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-buildah-'))
  // vfs copies files, so it works on every file system.
  const store = [
    '--root',
    join(folder, 'images'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ]
  const run = (...words: ReadonlyArray<string>) => output('buildah', [...store, ...words])
  return {
    run,
    folder,
    remove: async () => {
      await run('rm', '--all')
      await run('rmi', '--all', '--force')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Builds the image of the Dockerfile. Equal bases, packages and times make equal layers.
 *
 * @param time of every file, in seconds since 1970
 * @param words more options
 */
export const buildImage = (
  { run }: Buildah,
  { name, time, words = [] }: Readonly<{ name: string; time: string; words?: ReadonlyArray<string> }>,
): Promise<string> =>
  run(
    ...['build', '--isolation', 'chroot', '--timestamp', time, '--tag', name],
    ...['--format', 'docker'], // the format of OCI has no HEALTHCHECK
    ...words,
    ROOT,
  )

/** The configuration of an image, as `docker inspect` names its fields. */
export type ImageConfig = Readonly<{
  User: string
  Env: ReadonlyArray<string>
  Entrypoint: ReadonlyArray<string>
  Cmd: ReadonlyArray<string>
  Healthcheck: Readonly<{ Test: ReadonlyArray<string> }>
  Volumes: Readonly<Record<string, object>>
  WorkingDir: string
  Labels: Readonly<Record<string, string>>
  StopSignal: NodeJS.Signals
}>

export const configOf = async ({ run }: Buildah, name: string): Promise<ImageConfig> =>
  JSON.parse(await run('inspect', '--type', 'image', name)).Docker.config
