// The parts of Apache ECharts that reports draw with; tools/charts/bundle makes lua/ballpark/report/html/echarts.js of it.
import * as echarts from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendPlainComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, LegendPlainComponent, MarkLineComponent,
  TooltipComponent, SVGRenderer]);

export { init } from "echarts/core";
