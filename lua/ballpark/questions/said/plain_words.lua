-- Words of a question that say no fact: how it is asked, and what is asked back.
local tables = require("ballpark.tables")

local LINES <const> = {
  -- Grammar.
  "a an the this that these those it its their his her our my your we i you they them us one ones some any all each every",
  "and or but nor so if then than as at by for from in into of off on onto out over per to under up with within without",
  "about after before behind beside between during until while again also not no yes only just even still yet",
  "stay stays staying kept remain remains is are be been being was were am do does did done has have having had can could may might must shall should will would",
  "want wants need needs needed like please let lets let's get gets got make makes made take takes took go goes use uses using",
  "used there here now today ever very more most less least many much few fewer enough too both other another same such at",
  -- Questions.
  "what which who whom whose when where why how whether long fast slow quick big large small cheap expensive good bad right",
  "wrong normal usual reasonable possible ok fit fits fitting work works cap limit estimate estimates estimated answer answers",
  "say says said tell show give given compute calculate size sizing plan plans planned find know mean means",
  -- What is asked for, and what everything is about.
  "model models parameter memory ram vram speed throughput time times cost costs price prices money budget spend bill gpu cpu",
  "cores core cluster node nodes machine machines server servers fleet hardware system systems service services scale size",
  "isl osl starts start day night user request item image upload query embedding vector index replica token job kind workflow",
  "retention ranked rank lever levers pp tp dp product multiply fine-tuning fine-tune finetune daily online live real-time",
  "realtime batch batched mean average rate traffic load given nothing else file team teammate teammate's colleague",
  "colleague's build run runs running deploy scratch peak around roughly approximately ca circa least most language large",
  "missing proposal proposals share marked comparable comparables x",
  "annual annually yearly monthly what's who's whats i've we've i'm we're it's that's i'd we'd comfortably eta locally maybe perhaps happens cheapest best way fastest largest biggest smallest longest saved save single reasonable plausible realistic imagenet bit bits footprint at-once once average typical total roughly each",
  "asks ask asking ideas idea mostly doable continue support coding enough kind sorts sort total currently google per",
  "qdrant milvus faiss pgvector weaviate pinecone chroma oom usable electricity carbon co2 emissions trainable download multiplication faster slower better offloading offload difference unified air free colab kaggle deepspeed own computer pc gaming below above end gpu-hours wall clock compute optimal rent rented renting clock energy kwh clip gives reaches fields state states compare compared comparing comparison concurrently simultaneously mwh discount discounted electricity link sre arrive arrives arriving come comes coming through chew adamw adam mixed precision phd phds cfo ceo cto hi hello self-host self-hosted self-hosting selfhost selfhosted own finish finished queue transformer alternative worth mostly",
  "saving global avg mean min max approx plus using current inference expected expect month-over-month interval please thanks help",
  "don't dont quant quants quantization quantisation connected interconnected linked score averaging instead rather produce write sample pair anything look through apiece",
  "agent agentic caption captions captioning power rack racks draws prefill decode buy buys dollars dollar usd disk disks moe dense changes object feed bring keep reduce lower interactive app application site website public production design",
}

-- How many of the lines are grammar: words that stand between things.
local GRAMMAR <const> = 5

local all, linking = {}, {}
for i, line in ipairs(LINES) do
  for word in line:gmatch("%S+") do
    all[#all + 1] = word
    if i <= GRAMMAR then linking[#linking + 1] = word end
  end
end

return { all = all, is = tables.set(all), linking = linking }
