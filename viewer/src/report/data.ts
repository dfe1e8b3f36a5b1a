// What the program puts into a report's page: docs/files.md, report.html.
import type { Summary } from "../run_source";

export interface Fault {
  fault: string;
}

export interface Check {
  name: string;
  value: number | null;
  bound: string | number;
  pass: boolean;
  run?: string;
}

export interface Figure {
  title: string;
  x: string;
  y: string[];
  log: boolean;
}

export interface RunSummary extends Summary {
  paper?: string;
  steps: number;
  threads: number;
  wall_s: number;
  t_end: number;
  wall_s_per_stage?: Record<string, number>;
  bodies: number;
  contacts_mean: number;
  contacts_max: number;
  pairs_mean: number;
  sweeps_mean: number;
  residual_p99: number;
  residual_max: number;
  residual_velocity_max: number;
  machine_tolerance?: number | null; // m/s; null: no bound
  residual_mechanism_max?: number; // m/s
  unconverged_steps: number;
  penetration_mean: number;
  penetration_max: number;
  loop_error_max: number;
  condition_error_max: number;
  partition_changes: number;
  lost_bodies: number;
  energy: Record<string, number>;
  settings?: Record<string, string>;
  state_hash: string;
  checks?: Check[];
  figures?: Figure[];
  warnings?: string[];
  scene_text?: string;
}

export interface PackedSeries {
  columns: string[];
  values: string[]; // packed reals
  curves?: ({ time: string; x: string | null; y: (string | null)[] } | null)[]; // per figure, when rows were left out
  notes: string[];
}

export interface PackedFrame {
  time: number;
  step: number;
  active: number;
  contacts: number;
  strongest: number; // N s
  data: string; // packed integers
}

export interface PackedClip {
  scene: string; // packed text
  bodies: number;
  length: number; // m
  speed: number; // m/s
  rotation: number;
  frames: PackedFrame[];
  notes: string[];
}

export interface RunData {
  summary: RunSummary;
  series: PackedSeries | Fault;
  clip?: PackedClip | Fault;
  analysis?: { packed: string } | Fault;
}

export interface StudyRun extends Partial<RunData>, Partial<Fault> {
  name: string;
  directory: string;
}

export interface StudyData {
  summary: Omit<Summary, "checks"> & { paper?: string; wall_s: number; checks?: Check[]; warnings?: string[] };
  runs: StudyRun[];
}

export type ReportData = { run: RunData } | { study: StudyData };

export const isFault = (part: object): part is Fault => "fault" in part;
