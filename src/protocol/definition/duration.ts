/** Durations as people write them. */
import { z } from "zod";

export const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const maxDurationMs = 30 * units.d;

/** Such as `30s`, `10m` or `1.5h`; converted to milliseconds. */
export const Duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, "expected a duration such as 500ms, 30s, 10m or 1h")
  .transform((text) => {
    const [, amount, unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(text)!;
    return Math.round(Number(amount) * units[unit as keyof typeof units]);
  })
  .refine((ms) => ms <= maxDurationMs, "at most 30d");
