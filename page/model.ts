/**
 * What a page shows: of a run, of one that goes on, of a comparison. It is plain data, so that it can travel as JSON, and its texts are
 * plain text, whatever a server under test put into them.
 */

export type Tone = 'pass' | 'fail' | 'invalid';

/** Values of both sides of a comparison, on one axis. */
export interface Dots {
  base: (number | null)[];
  head: (number | null)[];
  baseMedian: number | null;
  headMedian: number | null;
}

export type Cell =
  | string
  | {
      text: string;
      /** After it, and of less weight. */
      aside?: string;
      tone?: Tone;
      /** The id of a chart, where there is one of it. */
      chart?: string;
      isCode?: true;
      /** Drawn instead of the text, which says the same. */
      dots?: Dots;
    };

export interface Table {
  head: string[];
  /** The first cell names the row. */
  rows: Cell[][];
  title?: string;
}

export interface Figure {
  name: string;
  value: string;
  /** What it is measured against, or what else has to be known of it. */
  next: string;
  tone?: Tone;
}

/** Names a colour of page.css. */
export type Colour = 'text' | 'quiet' | 'blue' | 'orange' | 'green' | 'purple';

export interface Line {
  /** In Plots.series. */
  series: string;
  name: string;
  colour: Colour;
  /** A target or a limit. */
  isDashed?: true;
  /** On the axis at the right. */
  isRight?: true;
}

export interface Chart {
  id: string;
  title: string;
  about?: string;
  /** As in contract/units.js. */
  unit: string;
  rightUnit?: string;
  /** Of the axis, where a whole has an end. */
  max?: number;
  isLogarithmic?: true;
  lines: Line[];
  /** What the findings went by. */
  limits?: number[];
  /** The number of the finding whose marks alone are drawn; absent: those of all findings. */
  finding?: number;
}

/** Seconds since the run's start. */
export interface Span {
  name: string;
  kind: 'measured' | 'overload' | 'unmeasured';
  fromS: number;
  toS: number;
}

/** When a finding saw something cross its threshold. */
export interface Mark {
  finding: number;
  atS: number;
}

export interface Plots {
  /** Unix time of the run's start. */
  startedS: number;
  /** Seconds since then of the first point. */
  fromS: number;
  stepS: number;
  series: Record<string, (number | null)[]>;
  phases: Span[];
  marks: Mark[];
  /** One above the other, on one time axis. */
  strip: Chart[];
  /** All others. */
  charts: Chart[];
}

export interface Finding {
  /** null: a note. */
  number: number | null;
  kind: string;
  about: string;
  statement: string;
  evidence: string[];
  observations?: Table;
  /** The id of the chart below it. */
  chart?: string;
  /** What helps; the last line. */
  remedy?: string;
}

export interface Section {
  id: string;
  title: string;
  isFolded?: true;
  texts?: string[];
  tables?: Table[];
  facts?: [name: string, value: string][];
  /** Ids of charts. */
  charts?: string[];
}

export interface Page {
  /** pass, fail, invalid, error, running; of a comparison: same, better, worse, inconclusive. */
  outcome: string;
  /** One sentence, which begins with the outcome. */
  headline: string;
  /** What it is about. */
  title: string;
  reasons: string[];
  about: string[];
  figures: Figure[];
  plots: Plots | null;
  /** Instead of the strip. */
  noPlots?: string;
  findings: Finding[] | null;
  sections: Section[];
}
