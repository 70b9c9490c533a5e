import { Counter, type Metric, type Registry } from 'prom-client'

/**
 * Cheap metrics for every request. prom-client looks a series up by its labels at each call. Here the caller keeps the series, and
 * only a scrape copies its numbers to prom-client.
 */

type Labels = Readonly<Record<string, string>>
type About = Readonly<{ name: string; help: string; labelNames: ReadonlyArray<string> }>

/** @returns a function that makes a series at 0 and returns its increment */
export const counter = (registry: Registry, about: About): ((labels: Labels) => () => void) => {
  const series: Array<{ readonly labels: Labels; count: number }> = []
  const metric = new Counter({
    ...about,
    labelNames: [...about.labelNames],
    registers: [registry],
    collect: () => {
      metric.reset()
      for (const { labels, count } of series) metric.inc(labels, count)
    },
  })
  return (labels) => {
    const one = { labels, count: 0 }
    series.push(one)
    return () => {
      one.count += 1
    }
  }
}

/**
 * A histogram.
 *
 * @param bounds upper bounds of the buckets, ascending; the bucket `+Inf` is added
 * @returns a function that makes an empty series and returns its `observe`
 */
export const histogram = (
  registry: Registry,
  { name, help }: About,
  bounds: ReadonlyArray<number>,
): ((labels: Labels) => (value: number) => void) => {
  const series: Array<{ readonly labels: Labels; readonly counts: Array<number>; sum: number }> = []
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    values: series.flatMap(samplesOf),
    aggregator: 'sum',
  })

  const samplesOf = ({ labels, counts, sum }: (typeof series)[number]) => {
    let below = 0
    const buckets = counts.map((count, index) => {
      below += count
      return {
        metricName: `${name}_bucket`,
        labels: { le: bounds[index] ?? '+Inf', ...labels },
        value: below,
      }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: below },
    ]
  }

  registry.registerMetric({ name, get } as unknown as Metric) // a registry uses nothing else of it
  return (labels) => {
    const one = { labels, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
    series.push(one)
    return (value) => {
      const above = bounds.findIndex((bound) => value <= bound)
      const bucket = above === -1 ? bounds.length : above
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1
      one.sum += value
    }
  }
}
