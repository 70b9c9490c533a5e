/** The system calls that read, write, synchronize and answer. */
export const TRACED = ['read', 'readv', 'recvfrom', 'recvmsg', 'write', 'writev', 'sendto', 'sendmsg'].concat(
  'pwrite64',
  'fsync',
  'fdatasync',
)

/** The options for strace: complete calls with file names, written to a file. */
export const straceTo = (file: string): ReadonlyArray<string> => [
  ...[
    'strace',
    '-D',
    '-f',
    '-y',
    '-s',
    String(LONGER_THAN_A_PAGE),
    '-o',
    file,
    '-e',
    `trace=${TRACED.join(',')}`,
  ],
]

const LONGER_THAN_A_PAGE = 8_192

type Call = Readonly<{
  name: string
  /** Number and name of its file. */
  file: string
  /** The whole text of strace for it. */
  text: string
  succeeded: boolean
  /** The lines of the trace at which it began and ended. */
  begin: number
  end: number
}>

/**
 * The requests that the trace does not prove durable before their responses. In order, it must show that the request
 * was read, that a page with its id was written to the write-ahead log, that the log was then completely
 * synchronized, and that the response was written to the same connection.
 *
 * @returns one sentence for each unproved request
 */
export const notDurable = (trace: string, requestIds: ReadonlyArray<string>): ReadonlyArray<string> => {
  const calls = callsIn(trace)
  const syncs = calls.filter(({ name, file, succeeded }) => SYNC.test(name) && WAL.test(file) && succeeded)
  const writes = calls.filter(
    ({ name, file, succeeded }) => name === 'pwrite64' && WAL.test(file) && succeeded,
  )
  const onSockets = calls.filter(({ file, succeeded }) => SOCKET.test(file) && succeeded)

  return requestIds.flatMap((id) => {
    const header = `X-Request-Id: ${id}\\r\\n`
    const asked = onSockets.find(({ name, text }) => READ.test(name) && text.includes(header))
    if (asked === undefined) return [`${id} was never read`]
    const answered = onSockets.find(
      ({ name, file, text }) => WRITE.test(name) && file === asked.file && text.includes(header),
    )
    if (answered === undefined) return [`${id} was never answered`]
    const written = writes.find(({ begin, text }) => begin > asked.end && text.includes(id))
    if (written === undefined || written.end > answered.begin)
      return [`${id} was answered before it was written`]
    const synced = syncs.find(({ begin, end }) => begin > written.end && end < answered.begin)
    return synced === undefined ? [`${id} was answered before it was synchronized`] : []
  })
}

const READ = /^(read|readv|recvfrom|recvmsg)$/
const WRITE = /^(write|writev|sendto|sendmsg)$/
const SYNC = /^(fsync|fdatasync)$/
const WAL = /-wal>$/
const SOCKET = /<(socket|TCP|TCPv6):/

/** `PID call(FD<FILE>, …) = RESULT`, or two lines when another call came in between. */
const callsIn = (trace: string): ReadonlyArray<Call> => {
  const unfinished = new Map<string, Readonly<{ text: string; begin: number }>>()
  return trace.split('\n').flatMap((line, at) => {
    const [, thread = '', said = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (said.endsWith('<unfinished ...>')) {
      unfinished.set(thread, { text: said, begin: at })
      return []
    }
    const before = said.startsWith('<... ') ? unfinished.get(thread) : { text: '', begin: at }
    const text = `${before?.text ?? ''}${said}`
    const [, name, file] = /^(\w+)\((\d+<[^>]*>)/.exec(text) ?? []
    if (before === undefined || name === undefined || file === undefined) return []
    const succeeded = /\) += \d+$/.test(text)
    return [{ name, file, text, succeeded, begin: before.begin, end: at }]
  })
}
