import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as passes } from 'node:timers/promises'
import { messages } from './postgres-messages.ts'

/**
 * The fate of a statement. The connection ends before the server receives it, after the server executed it and before the
 * response, or with a PANIC as its last response. Or the statement is held until the test releases it.
 */
export type Fate = 'request lost' | 'answer lost' | 'panic' | 'held'

/** A connection to a PostgreSQL server that can fail in several ways. */
export type PostgresProxy = Readonly<{
  /** The URL of the same database through the proxy. */
  url: (direct: string) => string
  /**
   * The next matching statement gets this fate.
   *
   * @returns when that has happened, with the release function of a held one
   */
  next: (statement: RegExp, fate: Fate) => Promise<() => void>
  /** Where new connections lead from now on. Open connections stay. */
  leadTo: (port: number) => void
  /** Ends every connection, cleanly or with a reset. */
  cut: (how: 'ended' | 'reset') => void
  /**
   * Ends every connection, and each new one at once, until connections are accepted again.
   *
   * @returns when one was refused
   */
  refuse: () => Promise<void>
  accept: () => void
  /** From now on no data arrives on either side of any connection, without an error. */
  silence: () => void
  /** Drops all data of the connections that are open now, without an error. New ones work. */
  forget: () => void
  /** Delivers all delayed data, and all new data. */
  resume: () => void
  /** Delays the responses of the server by this time from now on. */
  delay: (milliseconds: number) => void
  /** The number of open connections. */
  open: () => number
  /** The number of connections until now. */
  opened: () => number
  close: () => Promise<void>
}>

/** @param port the local port of the server */
export const postgresProxy = async (port: number): Promise<PostgresProxy> => {
  const pairs = new Set<Pair>()
  const expected = new Set<Expected>()
  const forgotten = new WeakSet<Pair>()
  const quiet = gate()
  let delayMs = 0
  let isRefusing = false
  let refused = () => {}
  let target = port
  let opened = 0

  const judge = (text: string): Expected | undefined => {
    const found = [...expected].find((each) => each.statement.test(text))
    if (found !== undefined) expected.delete(found)
    return found
  }

  const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (isRefusing) {
      client.on('error', () => {}).destroy()
      return refused()
    }
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const pair = { client, server }
    pairs.add(pair)
    opened += 1
    const [up, down] = [line(quiet, () => 0), line(quiet, () => delayMs)]
    const held = gate()
    let losing: Expected | undefined

    const sent = messages('startup')
    client.on('data', (chunk) => {
      for (const { type, bytes, text } of sent(chunk)) {
        const met = type === 'Q' || type === 'P' ? judge(text) : undefined
        if (met?.fate === 'held') held.shut()
        if (met?.fate === 'answer lost' || met?.fate === 'panic') losing = met
        up(async () => {
          if (met?.fate === 'held') met.done(held.open)
          await held.pass()
          if (met?.fate === 'request lost') {
            destroy(pair, 'ended')
            met.done(() => {})
          } else if (!server.destroyed && !forgotten.has(pair)) server.write(bytes)
        })
      }
    })
    const answered = messages('none')
    server.on('data', (chunk) => {
      for (const { type, bytes } of answered(chunk)) {
        if (losing === undefined) down(async () => void client.write(bytes))
        else if (type === 'Z') {
          const { fate, done } = losing
          client.end(fate === 'panic' ? PANIC : '', () => destroy(pair, 'ended'))
          done(() => {})
        }
      }
    })
    client.on('end', () => up(async () => void server.end()))
    server.on('end', () => down(async () => void client.end()))
    client.on('close', () => up(async () => void server.destroy()))
    server.on('close', () => down(async () => void client.destroy()))
    for (const socket of [client, server]) {
      socket.on('error', () => {}) // 'close' follows
      socket.on('close', () => client.destroyed && server.destroyed && pairs.delete(pair))
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')

  return {
    url: (direct) => direct.replace(`:${port}/`, `:${address.port}/`),
    next: (statement, fate) => new Promise((done) => expected.add({ statement, fate, done })),
    leadTo: (other) => {
      target = other
    },
    cut: (how) => {
      for (const pair of pairs) destroy(pair, how)
    },
    refuse: () => {
      isRefusing = true
      for (const pair of pairs) destroy(pair, 'ended')
      return new Promise((resolve) => {
        refused = resolve
      })
    },
    accept: () => {
      isRefusing = false
    },
    silence: quiet.shut,
    forget: () => {
      for (const pair of pairs) forgotten.add(pair)
    },
    resume: quiet.open,
    delay: (milliseconds) => {
      delayMs = milliseconds
    },
    // What a side has ended closes a moment later, too late for a test on a busy machine.
    open: () => [...pairs].filter(({ client, server }) => isOpen(client) && isOpen(server)).length,
    opened: () => opened,
    close: async () => {
      for (const pair of pairs) destroy(pair, 'ended')
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

type Pair = Readonly<{ client: Socket; server: Socket }>
type Expected = Readonly<{ statement: RegExp; fate: Fate; done: (letGo: () => void) => void }>

const PANIC_FIELDS = 'SPANIC\0VPANIC\0C58030\0Mcould not fsync file\0\0'

/** The responses of a server that fails to write a COMMIT to its disk, and may find it there after the restart. */
const PANIC = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(PANIC_FIELDS)])
PANIC.writeUInt32BE(4 + PANIC_FIELDS.length, 1)

const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded

const destroy = ({ client, server }: Pair, how: 'ended' | 'reset'): void => {
  for (const socket of [client, server]) {
    if (how === 'reset' && !socket.connecting) socket.resetAndDestroy()
    else socket.destroy()
  }
}

const gate = () => {
  let shut: Promise<void> | undefined
  let release = (): void => {}
  return {
    shut: (): void => {
      shut ??= new Promise((resolve) => {
        release = resolve
      })
    },
    open: (): void => {
      shut = undefined
      release()
    },
    pass: async (): Promise<void> => {
      while (shut !== undefined) await shut
    },
  }
}

/** Does one thing after the other, each with its delay. */
const line = (quiet: ReturnType<typeof gate>, delayMs: () => number) => {
  let last: Promise<void> = Promise.resolve()
  return (act: () => Promise<void>): void => {
    const due = performance.now() + delayMs()
    last = last.then(async () => {
      const rest = due - performance.now()
      if (rest > 0) await passes(rest)
      await quiet.pass()
      await act()
    })
  }
}
