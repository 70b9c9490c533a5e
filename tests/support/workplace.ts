import { resolve } from 'node:path'
import { type Ended, freePort, processWorkplace } from './command.ts'
import { type CommandHere, startHere } from './run-here.ts'

type Settings = Readonly<Record<string, string>>

export type Workplace = ReturnType<typeof workplace>

/**
 * A new folder for a service whose commands run in this process. `asProcess` runs the same commands as processes. Use it for signals,
 * the log, relative paths and concurrent processes.
 *
 * @param settings defaults for each command
 */
export const workplace = (settings: () => Settings = () => ({})) => {
  const { folder, database, remove, ...asProcess } = processWorkplace(undefined, settings)
  const running = new Set<CommandHere>()

  /** This process has another working directory, so the path of the store becomes absolute. */
  const environmentOf = (environment: Settings): Settings => {
    const { DATABASE_URL = '', ...others } = { ...settings(), ...environment }
    const path = DATABASE_URL === '' ? './data/portcullis.db' : /^sqlite:(.*)/s.exec(DATABASE_URL)?.[1]
    return {
      ...others,
      DATABASE_URL: path === undefined ? DATABASE_URL : `sqlite:${resolve(folder, path)}`,
    }
  }
  const start = (
    words: string | ReadonlyArray<string>,
    environment: Settings,
    input: string | Uint8Array = '',
  ) => {
    const command = startHere(words, { environment: environmentOf(environment), input, folder })
    running.add(command)
    void command.ended.then(() => running.delete(command))
    return command
  }

  return {
    folder,

    /** The path of the store without DATABASE_URL. */
    database,

    /** Runs a command to its end. */
    portcullis: (
      words: string | ReadonlyArray<string>,
      { input, environment = {} }: { input?: string | Uint8Array; environment?: Settings } = {},
    ): Promise<Ended> => start(words, environment, input).ended,

    /** Starts the service on a free port, and waits until it prints `ready`. It logs nothing. */
    serve: async (
      words = 'serve',
      environment: Settings = {},
      ready = 'Portcullis listens',
    ): Promise<ServingHere> => {
      const port = await freePort()
      const { printed, prints, stop, ended } = start(words, { PORT: String(port), ...environment })
      await prints(ready)
      return {
        port,
        url: `http://127.0.0.1:${port}`,
        printed,
        prints,
        ended,
        end: async () => {
          stop()
          return (await ended).status
        },
      }
    },

    /** The same commands, each as a process. */
    asProcess,

    /** Removes the folder, and ends services and processes that a failed test left. */
    remove: async (): Promise<void> => {
      for (const { stop } of running) stop()
      await Promise.all([...running].map(({ ended }) => ended))
      remove()
    },
  }
}

export type ServingHere = Readonly<{
  port: number
  url: string
  /** Everything printed so far. */
  printed: () => string
  /** Resolves when a printed line contains the text. */
  prints: (text: string) => Promise<void>
  /** Resolves after any end. */
  ended: CommandHere['ended']
  /** Stops it, and resolves with the exit status. */
  end: () => Promise<number | null>
}>
