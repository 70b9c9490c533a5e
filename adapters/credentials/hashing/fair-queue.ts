/** The names of a share, from the general to the particular. */
type Share = ReadonlyArray<string>

/** Jobs that wait, and jobs that have begun. */
export type FairQueue<Job> = Readonly<{
  waiting: () => number
  /** The number of jobs that wait or have begun. */
  load: () => number
  add: (share: Share, job: Job) => void
  /** Takes the next job. The caller calls `end` when the job is over. */
  begin: () => Begun<Job> | undefined
  /** Removes the newest job of the part with the most jobs. */
  drop: () => Job | undefined
  /** The same, but only if that part would still have more jobs than this share with one more. */
  makeRoomFor: (share: Share) => Job | undefined
}>

type Begun<Job> = Readonly<{ job: Job; end: () => void }>

/** Round robin between shares, and between the parts of a share. A share without parts counts as one part. */
export const fairQueue = <Job>(): FairQueue<Job> => roundRobin(() => roundRobin<Job>(firstInFirstOut))

/** First in, first out. */
const firstInFirstOut = <Job>(): FairQueue<Job> => {
  const jobs: Array<Job> = []
  let running = 0
  return {
    waiting: () => jobs.length,
    load: () => jobs.length + running,
    add: (_, job) => void jobs.push(job),
    begin: () => {
      const job = jobs.shift()
      if (job === undefined) return undefined
      running += 1
      return {
        job,
        end: () => {
          running -= 1
        },
      }
    },
    drop: () => jobs.pop(),
    makeRoomFor: () => undefined,
  }
}

/** Round robin between parts. A part without jobs is deleted, and returns as the last one. */
const roundRobin = <Job>(newPart: () => FairQueue<Job>): FairQueue<Job> => {
  const parts = new Map<string, FairQueue<Job>>() // the next one first

  const total = (of: (part: FairQueue<Job>) => number): number =>
    [...parts.values()].reduce((sum, part) => sum + of(part), 0)

  const forgetIdle = (name: string, part: FairQueue<Job>): void => {
    if (part.load() === 0) parts.delete(name)
  }

  const fullest = () =>
    [...parts]
      .filter(([, part]) => part.waiting() > 0)
      .reduce<readonly [string, FairQueue<Job>] | undefined>(
        (most, one) => (most === undefined || one[1].load() > most[1].load() ? one : most),
        undefined,
      )

  const drop = (): Job | undefined => {
    const [name, part] = fullest() ?? []
    const job = part?.drop()
    if (name !== undefined && part !== undefined) forgetIdle(name, part)
    return job
  }

  return {
    waiting: () => total((part) => part.waiting()),
    load: () => total((part) => part.load()),

    add: ([name = '', ...within], job) => {
      const part = parts.get(name) ?? newPart()
      parts.set(name, part)
      part.add(within, job)
    },

    begin: () => {
      for (const [name, part] of parts) {
        const begun = part.begin()
        if (begun === undefined) continue
        parts.delete(name)
        parts.set(name, part)
        return {
          job: begun.job,
          end: () => {
            begun.end()
            forgetIdle(name, part)
          },
        }
      }
      return undefined
    },

    drop,

    makeRoomFor: ([name = '', ...within]) => {
      const own = parts.get(name)
      const [, most] = fullest() ?? []
      return most !== undefined && most.load() > (own?.load() ?? 0) + 1 ? drop() : own?.makeRoomFor(within)
    },
  }
}
