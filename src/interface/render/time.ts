/** Parses durations; formats durations, ages and times. */
import { AppError } from "../../protocol/error.ts";

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxMs = 30 * 86_400_000;

/** Parses `500ms`, `30s`, `10m`, `1.5h`; a bare number means seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  const ms = Math.round(Number(amount) * (unitsMs[unit] ?? Number.NaN));
  if (!Number.isFinite(ms)) {
    throw new AppError("usage", `'${text.slice(0, 40)}' is not a duration`, { hint: "write 500ms, 30s, 10m or 1h" });
  }
  if (ms > maxMs) throw new AppError("usage", "a duration can be at most 30d");
  return ms;
}

/** `45ms`, `1.2s`, `12s`, `3m 05s`, `2h 10m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** `just now`, `3s ago`, `5m ago`, `2h ago`, `4d ago`. */
export function formatAge(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1_000);
  if (seconds < 1) return "just now";
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}

/** The time of day, in the local time zone. */
export function formatClock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** Date and time of day, in the local time zone. */
export function formatMoment(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${day.join("-")} ${formatClock(at)}`;
}
